import type { FetchOptions, ParseAsResponse } from 'openapi-fetch'
import type { MediaType, Readable, RequiredKeysOf, SuccessResponse } from 'openapi-typescript-helpers'

type Verb = 'get' | 'put' | 'post' | 'patch' | 'delete'
type PathOf<Paths, V extends Verb> = {
  [P in keyof Paths]: Paths[P] extends { [_ in V]: object } ? P : never
}[keyof Paths]
type OperationOf<Path, V extends Verb> = Path extends { [_ in V]: infer Operation extends object }
  ? Operation
  : never

type ResponsesOf<Operation> = Operation extends {
  responses: infer R extends Record<string | number, unknown>
}
  ? R
  : never

/** What is not 2xx is thrown, so there always is `data`. */
type Answer<Operation, Init> = {
  data: ParseAsResponse<Readable<SuccessResponse<ResponsesOf<Operation>, MediaType>>, Init>
  response: Response
}

/** May be left out where nothing in it is demanded. */
type Given<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init]

type Method<Paths, V extends Verb> = <
  Path extends PathOf<Paths, V>,
  Init extends FetchOptions<OperationOf<Paths[Path], V>>,
>(
  path: Path,
  ...init: Given<Init>
) => Promise<Answer<OperationOf<Paths[Path], V>, Init>>

type ItemOf<Operation> = Answer<Operation, object>['data'] extends { items: readonly (infer Item)[] }
  ? Item
  : never

/** The calls of one service. */
export type Methods<Paths> = {
  GET: Method<Paths, 'get'>
  PUT: Method<Paths, 'put'>
  POST: Method<Paths, 'post'>
  PATCH: Method<Paths, 'patch'>
  DELETE: Method<Paths, 'delete'>
  /** All items of a list, page by page as they are asked for. */
  each: <Path extends PathOf<Paths, 'get'>, Init extends FetchOptions<OperationOf<Paths[Path], 'get'>>>(
    path: Path,
    ...init: Given<Init>
  ) => AsyncGenerator<ItemOf<OperationOf<Paths[Path], 'get'>>, void>
}
