import { texts } from '#foundation/web/client/language.ts'
import { refusal } from './api.ts'
import { COPY_TEXTS } from './copy-texts.ts'
import { field } from './form.ts'
import { formDialog } from './form-dialog.ts'
import { type Pasted, readPasted } from './pasted.ts'
import { area, textIn } from './read.ts'
import { toast } from './toast.ts'

const t = texts(COPY_TEXTS)

/** Asks for a list of addresses and adds an episode for each. */
export const pasteEpisodes = (add: (episodes: Pasted[]) => void): Promise<boolean> =>
  formDialog(
    t('paste_title'),
    field({ name: 'links', label: t('paste_label'), hint: t('paste_hint'), control: area('', 200_000, 10) }),
    t('paste_now'),
    async (form) => {
      const found = readPasted(textIn(form, 'links'), (number) => t('new_one', { number }))
      if (found.length === 0) throw refusal(422, t('paste_none'))
      add(found)
      toast(t('pasted', { count: found.length }))
    },
    { isWide: true },
  )
