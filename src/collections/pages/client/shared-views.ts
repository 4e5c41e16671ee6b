import { get, refusalOf, send } from '#foundation/web/client/api.ts'
import { toast } from '#foundation/web/client/toast.ts'
import type { SharedView, SharedViews } from '#foundation/web/client/views.ts'
import { viewsOf } from './first-calls.ts'

/** The views that a collection's editors share, as the service keeps them. */
export function createSharedViews(
  collection_id: string,
  { mayEdit, update }: { mayEdit: () => boolean; update: () => void },
): SharedViews {
  let views: SharedView[] = []
  const load = async () => {
    views = (await get<{ items: SharedView[] }>(viewsOf(collection_id))).items
    update()
  }
  // Without them the list works as well.
  void load().catch(() => {})
  return {
    list: () => views,
    mayEdit,
    async save(view) {
      await send('PUT', viewsOf(collection_id), view)
      await load()
    },
    async remove({ id }) {
      try {
        await send('DELETE', `${viewsOf(collection_id)}/${id}`)
        await load()
      } catch (error) {
        toast(refusalOf(error).message)
      }
    },
  }
}
