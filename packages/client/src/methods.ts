import type { MaybeOptionalInit, ParseAsResponse } from 'openapi-fetch'
import type {
  HttpMethod,
  MediaType,
  PathsWithMethod,
  Readable,
  RequiredKeysOf,
  ResponseObjectMap,
  SuccessResponse,
} from 'openapi-typescript-helpers'

type Routes = Record<string, Record<HttpMethod, {}>>
/** What is not 2xx is thrown, so there always is `data`. */
type Answer<Operation extends Record<string | number, unknown>, Init> = {
  data: ParseAsResponse<Readable<SuccessResponse<ResponseObjectMap<Operation>, MediaType>>, Init>
  response: Response
}

/** May be left out where nothing in it is demanded. */
type InitParam<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init]

type Method<Paths, M extends HttpMethod> = Paths extends Routes
  ? <Path extends PathsWithMethod<Paths, M>, Init extends MaybeOptionalInit<Paths[Path], M>>(
      path: Path,
      ...init: InitParam<Init>
    ) => Promise<Answer<Paths[Path][M], Init>>
  : never

type ItemOf<Operation extends Record<string | number, unknown>> = Answer<Operation, {}>['data'] extends {
  items: readonly (infer Item)[]
}
  ? Item
  : never

type Each<Paths> = Paths extends Routes
  ? <Path extends PathsWithMethod<Paths, 'get'>, Init extends MaybeOptionalInit<Paths[Path], 'get'>>(
      path: Path,
      ...init: InitParam<Init>
    ) => AsyncGenerator<ItemOf<Paths[Path]['get']>, void>
  : never

/** The calls of one service. */
export type Methods<Paths> = {
  GET: Method<Paths, 'get'>
  PUT: Method<Paths, 'put'>
  POST: Method<Paths, 'post'>
  PATCH: Method<Paths, 'patch'>
  DELETE: Method<Paths, 'delete'>
  /** All items of a list, page by page as they are asked for. */
  each: Each<Paths>
}
