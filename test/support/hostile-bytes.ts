import { MAIN, partsOf, workbookOf, type WorkbookXml, zipOf } from './workbooks.ts'

/** Messages and files that cost the reader far more than the sender. */

export const many = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join('')

const base64 = (xml: string) => Buffer.from(xml).toString('base64')
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const DSIG = 'http://www.w3.org/2000/09/xmldsig#'

type Asked = { request_id: string; acs_url: string }

/** A SAML response to a pending request, with this content and these attributes. */
const response = ({ request_id, acs_url }: Asked, inside: string, attributes = '') =>
  `<p:Response xmlns:p="${PROTOCOL}" xmlns:a="${ASSERTION}" ID="_r" Version="2.0" InResponseTo="${request_id}" Destination="${acs_url}"${attributes}><p:Status><p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></p:Status>${inside}</p:Response>`

const signature = (of: string, inside = '') =>
  `<d:Signature xmlns:d="${DSIG}"><d:SignedInfo><d:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><d:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><d:Reference URI="#${of}"><d:Transforms><d:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><d:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></d:Transforms><d:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><d:DigestValue>AAAA</d:DigestValue></d:Reference></d:SignedInfo><d:SignatureValue>AAAA</d:SignatureValue>${inside}</d:Signature>`

const MESSAGE = 131_072

/** Messages that anybody can post to the callback of a SAML connection. */
export function samlMessages(asked: Asked): [name: string, SAMLResponse: string][] {
  const whole = response(asked, '')
  return [
    ['64,000 spaces', `${' '.repeat(64_000)}!`],
    ['64,000 spaces behind a message', `${base64(whole)}${' '.repeat(64_000)}!`],
    ['64,000 line ends and equals signs', `${base64(whole)}${'\n='.repeat(32_000)}`],
    ['131,072 equals signs', '='.repeat(MESSAGE)],
    ['no base64', '%'.repeat(40_000)],
    ['elements in each other', base64(`${'<a>'.repeat(10_000)}`)],
    [
      'elements in each other, as deep as is read',
      base64(response(asked, `${'<b>'.repeat(18)}${'</b>'.repeat(18)}`)),
    ],
    ['elements beside each other', base64(response(asked, '<b/>'.repeat(20_000)))],
    ['10,000 attributes', base64(`<a ${many(10_000, (i) => `b${i}="" `)}/>`)],
    ['one attribute of 90,000 characters', base64(response(asked, '', ` Consent="${'x'.repeat(90_000)}"`))],
    ['20,000 entities in an attribute', base64(response(asked, '', ` Consent="${'&#65;'.repeat(17_000)}"`))],
    ['20,000 entities in a text', base64(response(asked, '&amp;'.repeat(18_000)))],
    [
      'entities that multiply',
      base64(
        `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">${many(9, (i) => `<!ENTITY ${'abcdefghij'.charAt(i + 1)} "${`&${'abcdefghij'.charAt(i)};`.repeat(10)}">`)}]><a>&j;</a>`,
      ),
    ],
    ['an external entity', base64('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')],
    ['10,000 comments', base64(response(asked, '<!---->'.repeat(10_000)))],
    ['one comment that never ends', base64(response(asked, `<!--${'-'.repeat(90_000)}`))],
    ['CDATA that never ends', base64(response(asked, `<![CDATA[${']'.repeat(90_000)}`))],
    ['a start tag that never ends', base64(`<a ${' '.repeat(90_000)}`)],
    ['90,000 opening angles', base64('<'.repeat(90_000))],
    [
      '400 namespaces',
      base64(
        response(
          asked,
          many(13, (i) => `<b ${many(30, (j) => `xmlns:n${i}x${j}="u" `)}>`),
        ),
      ),
    ],
    ['signatures at every bound of size', base64(bulky(asked))],
    ['carriage returns in a text that is signed', base64(signed(asked, '&#13;'.repeat(15_000)))],
    ['white space in a text that is signed', base64(signed(asked, ' \t\n'.repeat(28_000)))],
  ]
}

/** A well-formed sign-in with wrong signatures: it is parsed as far as any message of a stranger. */
const signed = (asked: Asked, text: string) =>
  response(
    asked,
    `${signature('_r')}<a:Assertion ID="_a" Version="2.0">${signature('_a')}<a:Advice>${text}</a:Advice></a:Assertion>`,
  )

const bulky = (asked: Asked) =>
  signed(
    asked,
    `${many(17, (i) => `<e ${many(4, (j) => `xmlns:n${i}x${j}="u" `)}>`)}${'<f k="v" l="w" m="x"/>'.repeat(500)}${'</e>'.repeat(17)}`,
  )

/** Identity provider metadata that an ADMIN of a site can send: at most 100,000 characters. */
export const samlMetadata = (): [name: string, xml: string][] => [
  ['elements beside each other', `<a>${'<b/>'.repeat(20_000)}</a>`],
  ['elements in each other', '<a>'.repeat(30_000)],
  ['a certificate of spaces', certificates(' '.repeat(60_000))],
  ['a certificate of base64', certificates('A'.repeat(60_000))],
  ['1,900 certificates', certificates(...Array.from({ length: 600 }, () => 'AAAA'))],
  ['attributes at every bound', `<a ${many(32, (i) => `x${i}="${'&lt;'.repeat(500)}" `)}/>`],
]

const certificates = (...texts: string[]) =>
  `<m:EntityDescriptor xmlns:m="urn:oasis:names:tc:SAML:2.0:metadata" entityID="e"><m:IDPSSODescriptor><m:KeyDescriptor>${texts.map((text) => `<d:X509Certificate xmlns:d="${DSIG}">${text}</d:X509Certificate>`).join('')}</m:KeyDescriptor></m:IDPSSODescriptor></m:EntityDescriptor>`

const cell = (reference: string, text: string) =>
  `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
const row = (number: number, ...texts: string[]) =>
  `<row r="${number}">${texts.map((text, at) => cell(`${letters(at + 1)}${number}`, text)).join('')}</row>`
const letters = (column: number): string =>
  column > 26
    ? letters(Math.floor((column - 1) / 26)) + letters(((column - 1) % 26) + 1)
    : String.fromCharCode(64 + column)

const HEADERS = ['item_key', 'collection_keys', 'name']
const items = (...rows: string[]) => ({ name: 'Items', rows: row(1, ...HEADERS) + rows.join('') })
const withPart = (xml: WorkbookXml, name: string, change: (text: string) => string) =>
  zipOf(
    partsOf(xml).map((part) => (part.name === name ? { ...part, data: change(String(part.data)) } : part)),
  )

/** Workbooks whose files are small. */
export const workbooks = (): [name: string, bytes: Buffer][] => [
  [
    'a sheet name of 100,000 spaces',
    workbookOf({ sheets: [{ name: `a${' '.repeat(100_000)}b`, rows: row(1, ...HEADERS) }] }),
  ],
  [
    'a sheet name of 1,000,000 spaces',
    workbookOf({ sheets: [{ name: `a${' '.repeat(1_000_000)}b`, rows: row(1, ...HEADERS) }] }),
  ],
  [
    'a sheet name of 100,000 marks',
    workbookOf({ sheets: [{ name: `a${'\u0301\u0316'.repeat(50_000)}`, rows: row(1, ...HEADERS) }] }),
  ],
  [
    'a header of 32,000 spaces',
    workbookOf({ sheets: [{ name: 'Items', rows: row(1, ...HEADERS, `a${' '.repeat(32_000)}b`) }] }),
  ],
  [
    'a header of metadata of 32,000 spaces',
    workbookOf({
      sheets: [
        { name: 'Items', rows: row(1, ...HEADERS, `meta.${' '.repeat(16_000)}e${' '.repeat(16_000)}`) },
      ],
    }),
  ],
  [
    'a header of 32,000 marks',
    workbookOf({
      sheets: [{ name: 'Items', rows: row(1, ...HEADERS, `a${'\u0301\u0316'.repeat(16_000)}`) }],
    }),
  ],
  [
    '256 long headers',
    workbookOf({
      sheets: [
        {
          name: 'Items',
          rows: row(1, ...HEADERS, ...Array.from({ length: 253 }, (_, i) => `${i} ${'x -_'.repeat(60)}`)),
        },
      ],
    }),
  ],
  [
    '250 headers of metadata, half of them unknown',
    workbookOf({
      sheets: [
        {
          name: 'Items',
          rows: row(
            1,
            ...HEADERS,
            ...Array.from({ length: 250 }, (_, i) =>
              i % 2 ? `meta.${'k'.repeat(55)}${i}` : `${i}${'y'.repeat(80)}`,
            ),
          ),
        },
      ],
    }),
  ],
  [
    'cells of 32,000 spaces and signs',
    workbookOf({
      sheets: [
        items(
          ...Array.from({ length: 50 }, (_, i) =>
            row(i + 2, `k${i}`, 'a', `${' '.repeat(16_000)}\\`.padEnd(32_000, '\\>;')),
          ),
        ),
      ],
    }),
  ],
  [
    'cells of 32,000 marks',
    workbookOf({
      sheets: [
        items(
          ...Array.from({ length: 20 }, (_, i) =>
            row(i + 2, `k${i}`, 'a', `a${'\u0301\u0316'.repeat(16_000)}`),
          ),
        ),
      ],
    }),
  ],
  [
    'numbers of 32,000 digits',
    workbookOf({
      sheets: [
        {
          name: 'Items',
          rows:
            row(1, ...HEADERS) +
            many(50, (i) => `<row r="${i + 2}"><c r="A${i + 2}"><v>${'1'.repeat(32_000)}x</v></c></row>`),
        },
      ],
    }),
  ],
  [
    '1,900 sheets',
    workbookOf({ sheets: Array.from({ length: 900 }, (_, i) => ({ name: `Sheet ${i}`, rows: '' })) }),
  ],
  [
    '40,000 sheets without parts',
    withPart({ sheets: [items()] }, 'xl/workbook.xml', (xml) =>
      xml.replace(
        '</sheets>',
        `${many(40_000, (i) => `<sheet name="s${i}" sheetId="${i}" r:id="r${i}"/>`)}</sheets>`,
      ),
    ),
  ],
  [
    '50,000 defined names',
    withPart({ sheets: [items()] }, 'xl/workbook.xml', (xml) =>
      xml.replace(
        '</workbook>',
        `<definedNames>${many(50_000, (i) => `<definedName name="n${i}">Items!A1</definedName>`)}</definedNames></workbook>`,
      ),
    ),
  ],
  [
    'one defined name of a million characters',
    withPart({ sheets: [items()] }, 'xl/workbook.xml', (xml) =>
      xml.replace(
        '</workbook>',
        `<definedNames><definedName name="n">${' '.repeat(1_000_000)}</definedName></definedNames></workbook>`,
      ),
    ),
  ],
  [
    '40,000 content types',
    withPart({ sheets: [items()] }, '[Content_Types].xml', (xml) =>
      xml.replace(
        '</Types>',
        `${many(40_000, (i) => `<Override PartName="/x${i}.xml" ContentType="a/b"/>`)}</Types>`,
      ),
    ),
  ],
  [
    '40,000 relationships',
    withPart({ sheets: [items()] }, 'xl/_rels/workbook.xml.rels', (xml) =>
      xml.replace(
        '</Relationships>',
        `${many(40_000, (i) => `<Relationship Id="q${i}" Type="t" Target="${'../'.repeat(20)}x${i}.xml"/>`)}</Relationships>`,
      ),
    ),
  ],
  [
    'a target of a million escapes',
    withPart({ sheets: [items()] }, 'xl/_rels/workbook.xml.rels', (xml) =>
      xml.replace(
        '</Relationships>',
        `<Relationship Id="q" Type="t" Target="${'%41'.repeat(80_000)}%"/></Relationships>`,
      ),
    ),
  ],
  [
    'an element of 100,000 attributes',
    withPart({ sheets: [items()] }, 'xl/workbook.xml', (xml) =>
      xml.replace('<sheets>', `<sheets ${many(20_000, (i) => `a${i}="" `)}>`),
    ),
  ],
  [
    'one attribute of a million characters',
    withPart({ sheets: [items()] }, 'xl/workbook.xml', (xml) =>
      xml.replace('<sheets>', `<sheets a="${' '.repeat(1_000_000)}">`),
    ),
  ],
  [
    'a million entities',
    withPart({ sheets: [items()] }, 'xl/workbook.xml', (xml) =>
      xml.replace('<sheets>', `<sheets a="${'&#32;'.repeat(50_000)}">`),
    ),
  ],
  [
    '100,000 merged cells',
    workbookOf({
      sheets: [
        {
          ...items(row(2, 'a', 'b', 'c')),
          after: `<mergeCells>${many(100_000, (i) => `<mergeCell ref="A${i + 3}:B${i + 3}"/>`)}</mergeCells>`,
        },
      ],
    }),
  ],
  [
    '20,000 number formats',
    workbookOf({
      sheets: [items(row(2, 'a', 'b', 'c'))],
      formats: Array.from({ length: 20_000 }, () => '"'.repeat(5) + '['.repeat(60)),
    }),
  ],
  [
    'one number format of 200,000 characters',
    workbookOf({ sheets: [items(row(2, 'a', 'b', 'c'))], formats: ['['.repeat(200_000)] }),
  ],
  [
    'a document type',
    withPart({ sheets: [items()] }, 'xl/workbook.xml', (xml) =>
      xml.replace('<workbook', '<!DOCTYPE a [<!ENTITY b "c">]><workbook'),
    ),
  ],
  [
    'elements in each other',
    withPart({ sheets: [items()] }, 'xl/workbook.xml', (xml) =>
      xml.replace('<sheets>', '<a>'.repeat(100_000)),
    ),
  ],
  [
    'a first row behind four megabytes of empty ones',
    workbookOf({
      sheets: [
        {
          name: 'Items',
          xml: `<worksheet xmlns="${MAIN}"><sheetData>${'<row/>'.repeat(650_000)}</sheetData></worksheet>`,
        },
      ],
    }),
  ],
]

const MIB = 1_048_576
const lines = (line: string, bytes: number) => line.repeat(Math.floor(bytes / line.length))

/** CSV files of people, at most 24 MiB. */
export const csvFiles = (): [name: string, csv: string][] => [
  ['20 MiB of commas', `email,display_name\n${','.repeat(20 * MIB)}`],
  ['a header of 8 MiB of commas', ','.repeat(8 * MIB)],
  ['a header of 16,000 names', `email${many(12_000, (i) => `,${i.toString(36)}`)}\na@x.org\n`],
  ['lines of 60,000 commas', `email,display_name\n${lines(`${','.repeat(60_000)}\n`, 20 * MIB)}`],
  ['20 MiB of empty lines', `email\n${'\n'.repeat(20 * MIB)}`],
  ['20 MiB of empty lines first', `${'\r\n'.repeat(10 * MIB)}email\n`],
  ['20 MiB of quotation marks', `email\n${'"'.repeat(20 * MIB)}`],
  ['lines that open a quotation', `email,display_name\n${lines('"\n', 100_000)}`],
  [
    'lines that open a quotation late',
    `email,display_name\n${lines(`a@x.org,"${'x\n'.repeat(100)}`, 20 * MIB)}`,
  ],
  ['quotations doubled without end', `email,display_name\n${lines('a@x.org,"""\n', 10 * MIB)}`],
  ['one line of 20 MiB', `email\n${'x'.repeat(20 * MIB)}`],
  ['one quoted cell of 20 MiB of line ends', `email,display_name\na@x.org,"${'\n'.repeat(20 * MIB)}`],
  ['20 MiB of carriage returns', `email\n${'\r'.repeat(20 * MIB)}`],
  ['20 MiB of quoted nothing', `email,display_name\n${lines('"",', 20 * MIB)}`],
  ['records of many cells', `email,display_name\n${lines(`${'a,'.repeat(100)}\n`, 19 * MIB)}`],
  [
    'cells of 60,000 marks',
    `email,display_name\n${lines(`a@x.org,a${'\u0301\u0316'.repeat(15_000)}\n`, 2 * MIB)}`,
  ],
  [
    'cells of 60,000 spaces',
    `email,display_name,phone,locale,password_hash\n${lines(`${' '.repeat(12_000)}a,${' '.repeat(12_000)}a,${' '.repeat(12_000)}1,${'a-'.repeat(6_000)},$argon2id$${'1'.repeat(12_000)}\n`, 10 * MIB)}`,
  ],
  ['separators nobody uses', `email;display_name\n${';\t,'.repeat(6 * MIB)}`],
]

/** JSON of one megabyte, as deep, wide or long as possible. */
export const jsonBodies = (): [name: string, json: string][] => {
  const of = (part: string) => part.repeat(Math.floor(1_000_000 / part.length))
  return [
    ['500,000 arrays in each other', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
    ['200,000 objects in each other', `${'{"a":'.repeat(160_000)}1${'}'.repeat(160_000)}`],
    ['500,000 numbers', `{"email":"a@x.org","a":[${of('1,')}1]}`],
    ['330,000 empty arrays', `{"email":"a@x.org","a":[${of('[],')}[]]}`],
    ['escapes and 500,000 numbers', `{"email":"\\u0041","a":[${of('1,')}1]}`],
    ['140,000 fields', `{${many(80_000, (i) => `"f${i}":1,`)}"a":1}`],
    ['140,000 fields beside an escape', `{"\\u0041":1,${many(80_000, (i) => `"f${i}":1,`)}"a":1}`],
    [
      'a text of a megabyte of marks',
      JSON.stringify({
        email: `a${'\u0301\u0316'.repeat(250_000)}@x.org`,
        password: `a${'\u0301\u0316'.repeat(100)}`,
        name: `a${'\u0301\u0316'.repeat(100)}`,
        title: 'x',
        description: 'x',
      }),
    ],
    [
      'marks in every field',
      JSON.stringify(
        Object.fromEntries(
          [
            'email',
            'username',
            'login',
            'password',
            'name',
            'title',
            'description',
            'external_key',
            'token',
            'code',
          ].map((field) => [field, `a${'\u0301\u0316'.repeat(24_000)}`]),
        ),
      ),
    ],
    ['a text of a megabyte of spaces', JSON.stringify({ email: `${' '.repeat(1_000_000)}x` })],
    [
      'spaces in every field',
      JSON.stringify(
        Object.fromEntries(
          [
            'email',
            'username',
            'login',
            'password',
            'name',
            'title',
            'description',
            'external_key',
            'token',
            'code',
            'phone',
            'locale',
          ].map((field) => [field, `${' '.repeat(80_000)}x`]),
        ),
      ),
    ],
    [
      'digits in every field',
      JSON.stringify(
        Object.fromEntries(
          [
            'email',
            'username',
            'login',
            'password',
            'name',
            'title',
            'description',
            'external_key',
            'token',
            'code',
            'phone',
            'locale',
          ].map((field) => [field, `${'1'.repeat(80_000)}x`]),
        ),
      ),
    ],
    ['a number of a million digits', `{"email":${'1'.repeat(1_000_000)}}`],
    ['a million spaces', `${' '.repeat(1_000_000)}x`],
    ['escapes alone', `{"email":"${of('\\u0041')}"}`],
  ]
}

export const forms = (): [name: string, body: string][] => [
  ['500,000 fields', many(100_000, (i) => `f${i}=&`)],
  ['500,000 empty fields', '&'.repeat(1_000_000)],
  ['a million percent signs', '%'.repeat(1_000_000)],
  ['a megabyte of escapes', `email=${'%41'.repeat(340_000)}`],
  ['a megabyte of spaces', `email=${'+'.repeat(1_000_000)}x`],
  ['a megabyte of marks', `email=a${'%CC%81%CC%96'.repeat(80_000)}`],
]

export const headers = (): [name: string, headers: Record<string, string>][] => [
  ['a cookie of 14,000 separators', { cookie: ';'.repeat(14_000) }],
  ['a cookie of 14,000 equals signs', { cookie: '='.repeat(14_000) }],
  ['a cookie of 3,000 pairs', { cookie: many(2_500, (i) => `${i}=1;`) }],
  ['a cookie of quotation marks', { cookie: `a="${'\\"'.repeat(6_000)}` }],
  ['a token of 14,000 points', { authorization: `Bearer ${'.'.repeat(14_000)}` }],
  ['a token of 14,000 spaces', { authorization: `Bearer ${' '.repeat(14_000)}x` }],
  ['a credential of colons', { authorization: `Basic ${'Og=='.repeat(3_500)}` }],
  ['codings by the thousand', { 'accept-encoding': many(2_000, () => 'gzip;q=,') }],
  ['types by the thousand', { accept: 'text/*;q=0.1,'.repeat(1_000) }],
  ['languages by the thousand', { 'accept-language': 'de-DE-x-y;q=0.1,'.repeat(900) }],
  ['a content type of semicolons', { 'content-type': `application/json${';'.repeat(14_000)}` }],
  ['a content type of spaces', { 'content-type': `application/json;${' '.repeat(14_000)}charset` }],
  [
    'a content type of quotation marks',
    { 'content-type': `multipart/form-data; boundary="${'\\"'.repeat(6_000)}` },
  ],
  ['addresses by the thousand', { 'x-forwarded-for': '1.1.1.1,'.repeat(1_700), forwarded: 'for=1' }],
  ['entity tags by the thousand', { 'if-none-match': 'W/"a",'.repeat(2_300), 'if-match': '"a"' }],
  ['a language of 14,000 hyphens', { 'accept-language': 'a-'.repeat(7_000) }],
  ['an origin of 14,000 points', { origin: `https://${'a.'.repeat(7_000)}` }],
]

export const queries = (): [name: string, query: string][] => [
  ['14,000 separators', '&'.repeat(14_000)],
  ['3,000 parameters', many(2_300, (i) => `p${i}&`)],
  ['the same parameter 5,000 times', 'page=1&'.repeat(2_000)],
  ['14,000 brackets', `filter${'['.repeat(7_000)}${']'.repeat(6_000)}=1`],
  ['a time of 14,000 letters', `filter[created_at]=${'T'.repeat(14_000)}Z`],
  ['14,000 commas', `filter[id][in]=${','.repeat(14_000)}`],
  ['14,000 backslashes', `filter[name][in]=${'\\'.repeat(14_000)}`],
  ['14,000 spaces', `q=${'+'.repeat(14_000)}x`],
  ['2,000 marks', `q=a${'%CC%81%CC%96'.repeat(1_100)}`],
  ['escapes that are none', `q=${'%'.repeat(14_000)}`],
  ['14,000 minus signs', `sort=${'-'.repeat(14_000)}`],
  ['a return address of 14,000 points', `return_to=https://${'a.'.repeat(7_000)}`],
]
