/** A number, or text where a number would lose digits. */
export type GiftDecimal = number | string
export type GiftOption = { text: string; correct: boolean; fraction?: number; feedback?: string }
export type GiftNumber = { fraction?: number } & (
  | { value: GiftDecimal; tolerance?: GiftDecimal; tolerance_type?: 'absolute' | 'relative' }
  | { min: GiftDecimal; max: GiftDecimal }
)

/** A GIFT question in the shape of POST /api/episodes/tests/{id}/questions. GIFT has no ordering. */
export type GiftQuestion = { prompt: string; explanation?: string } & (
  | { type: 'single_choice' | 'multiple_choice'; options: GiftOption[] }
  | {
      type: 'true_false'
      correct: boolean
      feedback_if_true?: string | null
      feedback_if_false?: string | null
    }
  | { type: 'short_answer'; accepted: { text: string; fraction?: number }[] }
  | { type: 'numeric'; accepted: GiftNumber[] }
  | { type: 'matching'; pairs: { left: string; right: string }[]; distractors?: string[] }
)
