import { texts } from '#foundation/web/client/language.ts'
import type { StoredFile } from '../api-types.ts'
import { refusal, refusalOf, send } from './api.ts'
import { FILE_TEXTS } from './file-texts.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { sentence } from './states.ts'
import { toast } from './toast.ts'

const t = texts(FILE_TEXTS)

type Options = {
  text: string
  /** What the dialog of the system offers, such as `.vtt,.srt`. */
  accept?: string
  isMultiple?: boolean
  /** The largest file in MB; the service refuses larger ones too, but only after they are sent. */
  limit: number
  path: string
  /** Called with each stored file. */
  stored: (file: StoredFile, sent: File) => void
}

/** A button that uploads files, one after the other, and says how far it is. Files can be dropped on it as well. */
export function uploader(options: Options): {
  element: HTMLElement
  send: (files: readonly File[]) => Promise<void>
} {
  const { text, accept = null, isMultiple = false, limit, path, stored } = options
  const chooser = html`<input
    type="file"
    hidden
    accept=${accept}
    multiple=${isMultiple}
    onchange=${() => void sendChosen()}
  />` as HTMLInputElement
  const told = html`<span class="quiet-text" role="status" dir="auto"></span>`
  const button = html`<button type="button" class="second small" onclick=${() => chooser.click()}>
    ${icon('up')}${text}
  </button>`
  const element = html`<div class="uploader">${chooser}${button}${told}</div>`
  element.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  element.addEventListener('drop', (event) => {
    event.preventDefault()
    void sendAll([...(event.dataTransfer?.files ?? [])])
  })

  async function sendChosen() {
    const files = [...(chooser.files ?? [])]
    // The same file may be chosen again after a failure.
    chooser.value = ''
    await sendAll(files)
  }

  async function sendAll(files: readonly File[]) {
    if (button.getAttribute('aria-disabled') === 'true') return
    button.setAttribute('aria-disabled', 'true')
    try {
      for (const file of isMultiple ? files : files.slice(0, 1)) await sendOne(file)
    } catch (error) {
      told.textContent = ''
      const { status, message } = refusalOf(error)
      if (status === -1) reportError(error)
      toast(sentence(message.replace(/^file: /, '')), { isFault: true })
    } finally {
      button.removeAttribute('aria-disabled')
    }
  }

  async function sendOne(file: File) {
    const { name } = file
    if (file.size > limit * 1_000_000) throw refusal(413, t('too_large', { name, limit }))
    told.textContent = t('uploading', { name })
    const form = new FormData()
    form.append('file', file, name)
    stored(await send<StoredFile>('POST', path, form), file)
    told.textContent = t('uploaded', { name })
  }
  return { element, send: sendAll }
}

/** A button that uploads a picture of the channel and writes its address into the input. */
export const pictureUploader = (channel_id: string, input: HTMLInputElement): HTMLElement =>
  uploader({
    text: t('picture'),
    accept: 'image/png,image/jpeg,image/gif,image/webp',
    limit: 10,
    path: `/api/channels/${channel_id}/files?purpose=picture`,
    stored: ({ url }) => write(input, url),
  }).element

/** The same for captions; `named` is called with the name of the chosen file. */
export const captionsUploader = (
  channel_id: string,
  input: HTMLInputElement,
  named: (name: string) => void,
): HTMLElement =>
  uploader({
    text: t('captions'),
    accept: '.vtt,.srt',
    limit: 2,
    path: `/api/channels/${channel_id}/files?purpose=captions`,
    stored: ({ url }, { name }) => {
      write(input, url)
      named(name)
    },
  }).element

function write(input: HTMLInputElement, url: string) {
  input.value = url
  input.dispatchEvent(new Event('input', { bubbles: true }))
}
