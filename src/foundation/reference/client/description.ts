/* The parts of an OpenAPI description that the reference reads. */

type Parameter = { name: string; in: string; required?: boolean; schema?: object }
export type Operation = {
  operationId: string
  summary?: string
  tags: string[]
  parameters?: Parameter[]
  security?: Record<string, string[]>[]
  requestBody?: { required?: boolean; content: Record<string, { schema?: object }> }
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: object }> }>
}
export type ApiDocument = {
  info: { title: string; version: string }
  components?: { securitySchemes?: Record<string, object> }
  paths: Record<string, Record<string, Operation>>
}
