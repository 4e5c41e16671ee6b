import { texts } from '#foundation/web/client/language.ts'
import type { Video } from '../api-types.ts'
import { send } from './api.ts'
import { formDialog } from './form-dialog.ts'
import { field } from './form.ts'
import { html } from './html.ts'
import { numberIn, textIn } from './read.ts'
import { RENDITION_TEXTS } from './rendition-texts.ts'
import { rowList } from './rows.ts'
import { toast } from './toast.ts'

const t = texts(RENDITION_TEXTS)

type Rendition = Pick<Video['sources'][number], 'url' | 'height'>

/** Lists the renditions of a video in a dialog. They are saved alone: what the form beside it holds stays as it is. */
export async function editRenditions({ episode_id, sources }: Video): Promise<void> {
  const rows = rowList<Rendition>({
    one: t('one'),
    path: 'sources',
    max: 10,
    addText: t('add'),
    values: sources,
    make: (source) => {
      const content = html`<div class="field-row is-start">
        ${field({ name: 'height', label: t('height'), control: html`<input type="number" required min="1" max="16384" value=${source?.height ?? ''} />` })}
        ${field({ name: 'url', label: t('url'), control: html`<input required dir="ltr" inputmode="url" maxlength="2048" value=${source?.url ?? ''} />` })}
      </div>`
      return {
        content,
        read: () => ({ url: textIn(content, 'url').trim(), height: numberIn(content, 'height') }),
      }
    },
  })
  const isSaved = await formDialog(
    t('title'),
    html`<div class="fields">
      <p class="hint">${t('hint')}</p>
      ${rows.element}
    </div>`,
    t('save'),
    async () => {
      const video = await send<Video>('POST', `/api/episodes/${episode_id}/video`, { sources: rows.read() })
      sources.splice(0, sources.length, ...video.sources)
    },
    { isWide: true },
  )
  if (isSaved) toast(t('saved'))
}
