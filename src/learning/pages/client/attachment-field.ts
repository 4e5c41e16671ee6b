import { texts } from '#foundation/web/client/language.ts'
import type { NewSubmission, StoredFile } from '../api-types.ts'
import { refusalOf, send } from './api.ts'
import { FILE_TEXTS } from './file-texts.ts'
import { field } from './form.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import { keep, kept } from './kept.ts'
import { toast } from './toast.ts'
import { uploader } from './upload.ts'

const t = texts(FILE_TEXTS)
const MOST = 10

type Attachments = NonNullable<NewSubmission['attachments']>
type Kept = Pick<StoredFile, 'id' | 'url' | 'name'>

/**
 * The files of homework that is not handed in: uploaded ones, remembered on this device under `place`, and links. `forget`
 * is called once they are handed in.
 */
export function attachmentField(
  homework_id: string,
  { place, isOptional, links: written }: { place: string; isOptional: boolean; links: string },
) {
  let files = (kept<Kept[]>(place) ?? []).slice(0, MOST)
  const list = html`<ul class="attached"></ul>`
  const links = html`<textarea rows="2" placeholder="https://">${written}</textarea>` as HTMLTextAreaElement
  const { element: button } = uploader({
    text: t('attachments'),
    isMultiple: true,
    limit: 25,
    path: `/api/episodes/homework/${encodeURIComponent(homework_id)}/files`,
    stored: ({ id, url, name }) => {
      if (files.length >= MOST) toast(t('too_many', { limit: MOST }), { isFault: true })
      else set([...files, { id, url, name }])
    },
  })
  const element = html`<fieldset class="field" data-field="attachments">
    <legend class="label">${t('your_files')}</legend>
    <p class="hint">${t('attachments_hint')} ${t('drop')}</p>
    ${list} ${button} ${field({ name: 'links', label: t('links'), isOptional, control: links })}
  </fieldset>`
  show()

  function set(next: Kept[]) {
    files = next
    keep(place, files.length > 0 ? files : undefined)
    show()
  }

  function show() {
    list.replaceChildren(
      ...files.map((file) => {
        const gone = html`<button
          type="button"
          class="icon-button"
          aria-label=${t('remove', { name: file.name })}
          onclick=${() => void remove(file)}
        >
          ${icon('trash')}
        </button>`
        return html`<li><a href=${file.url} dir="auto">${file.name}</a>${gone}</li>`
      }),
    )
  }

  async function remove(file: Kept) {
    set(files.filter(({ id }) => id !== file.id))
    element.querySelector<HTMLElement>('.uploader button')?.focus()
    try {
      await send('DELETE', `/api/files/${file.id}`)
    } catch (error) {
      // Unsent files go by themselves after a day.
      if (refusalOf(error).status === -1) throw error
    }
    toast(t('removed', { name: file.name }))
  }

  return {
    element,
    links,
    read: (): Attachments => [
      ...files.map(({ url, name }) => ({ url, name })),
      ...links.value
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
        .map((url) => ({ url })),
    ],
    forget: () => keep(place, undefined),
  }
}
