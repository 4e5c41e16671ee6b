import { texts } from '#foundation/web/client/language.ts'
import type { QuestionBody } from '../api-types.ts'
import { field, required } from './form.ts'
import { html } from './html.ts'
import type { Known, Part } from './question-part.ts'
import { textIn } from './read.ts'
import { rowList } from './rows.ts'
import { QUESTION_TEXTS } from './question-texts.ts'

const t = texts(QUESTION_TEXTS)

type Pair = NonNullable<QuestionBody['pairs']>[number]
type Item = { id?: string; text: string }

const itemRows = (
  one: 'wrong' | 'step',
  path: string,
  values: readonly Item[],
  more: { min?: number; isOrdered?: boolean; addText?: string },
) =>
  rowList<Item>({
    one: t(`one_${one}`),
    path,
    max: 20,
    values,
    ...more,
    make: (item) => {
      const content = field({
        name: 'text',
        label: t(one === 'step' ? 'step' : 'wrong_one'),
        control: required(html`<input maxlength="500" dir="auto" value=${item?.text ?? ''} />`),
      })
      return { content, read: () => ({ ...(item?.id && { id: item.id }), text: textIn(content, 'text') }) }
    },
  })

/** The matching pairs, and the distractors that match nothing. */
export function pairsPart(question: Known): Part {
  const pairs = rowList<Pair>({
    one: t('one_pair'),
    path: 'pairs',
    min: 2,
    max: 20,
    values: question?.pairs ?? [
      { left: '', right: '' },
      { left: '', right: '' },
    ],
    make: (pair) => {
      const content = html`<div class="field-row">
        ${field({ name: 'left', label: t('this'), control: required(html`<input maxlength="500" dir="auto" value=${pair?.left ?? ''} />`) })}
        ${field({ name: 'right', label: t('belongs'), control: required(html`<input maxlength="500" dir="auto" value=${pair?.right ?? ''} />`) })}
      </div>`
      const ids = {
        ...(pair?.left_id && { left_id: pair.left_id }),
        ...(pair?.right_id && { right_id: pair.right_id }),
      }
      return {
        content,
        read: () => ({ ...ids, left: textIn(content, 'left'), right: textIn(content, 'right') }),
      }
    },
  })
  const wrong = itemRows('wrong', 'distractors', question?.distractors ?? [], {
    addText: t('add_wrong'),
  })
  return {
    element: html`<div class="fields">
      <fieldset class="field" data-field="pairs">
        <legend class="label">${t('pairs')}</legend>
        ${pairs.element}
      </fieldset>
      <fieldset class="field" data-field="distractors">
        <legend class="label">${t('nothing')} <span class="optional">${t('optional')}</span></legend>
        ${wrong.element}
      </fieldset>
    </div>`,
    read: () => ({ pairs: pairs.read(), distractors: wrong.read() }),
  }
}

/** The steps in their right order. */
export function orderPart(question: Known): Part {
  const starters = [{ text: '' }, { text: '' }, { text: '' }]
  const rows = itemRows('step', 'items', question?.items ?? starters, { min: 2, isOrdered: true })
  return {
    element: html`<fieldset class="field" data-field="items">
      <legend class="label">${t('steps')}</legend>
      ${rows.element}
    </fieldset>`,
    read: () => ({ items: rows.read() }),
  }
}
