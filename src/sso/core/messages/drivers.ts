import type { Body } from './queue.ts'

/** Result of one delivery attempt. `is_final`: the message will never be accepted, so there is no retry. */
export type Handover = { is_sent: true } | { is_sent: false; failure: string; is_final: boolean }

/** Sends one message, at least once: a retry carries the same message_id. Never throws. */
export type Driver<M> = {
  send(message: M, signal: AbortSignal): Promise<Handover>
  close(): Promise<void> | void
}

export type Mail = { message_id: string; recipient: string } & Body
export type Sms = { message_id: string; recipient: string; text: string }

export type MailDriver = Driver<Mail>
export type SmsDriver = Driver<Sms>

export const SENT: Handover = { is_sent: true }
export const later = (failure: string): Handover => ({ is_sent: false, failure, is_final: false })
export const never = (failure: string): Handover => ({ is_sent: false, failure, is_final: true })
