import { Type } from 'typebox'
import { withoutAccents } from '#foundation/text.ts'
import { XLSX } from './writer.ts'

/** The OpenAPI response of a workbook. */
export const workbookReply = { content: { [XLSX]: { schema: Type.String({ format: 'binary' }) } } }

/** The headers of a download, named after its content: in ASCII for old clients and in full (RFC 6266, RFC 8187). */
export function attachment(name: string, extension: string): Record<string, string> {
  const ascii = withoutAccents(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80)
  const full = encodeURIComponent(`${name}.${extension}`).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return {
    'Content-Disposition': `attachment; filename="${ascii || 'collection'}.${extension}"; filename*=UTF-8''${full}`,
  }
}
