import { texts } from '#foundation/web/client/language.ts'
import type { Video } from '../api-types.ts'
import { field } from './form.ts'
import { html } from './html.ts'
import { numberIn, textIn } from './read.ts'
import { RENDITION_TEXTS } from './rendition-texts.ts'
import { rowList } from './rows.ts'

const t = texts(RENDITION_TEXTS)

export type Rendition = Pick<Video['sources'][number], 'url' | 'height'>

/** The renditions of a video. */
export function renditionRows(sources: readonly Rendition[]) {
  const rows = rowList<Rendition>({
    one: t('one'),
    path: 'video.sources',
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
  const element = html`<div class="fields">
    <p class="hint">${t('hint')}</p>
    ${rows.element}
  </div>`
  return { element, read: rows.read }
}
