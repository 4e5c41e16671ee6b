import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { aSchool, must } from '#testing/exams.ts'
import { world } from '#testing/world.ts'

const { learning, sso, db } = await world()

/** The sheet of a learner of this name, in a channel and at an issuer of these. */
async function sheetOf(display_name: string, title: string, issuer: string): Promise<Buffer> {
  const school = await aSchool({ channel: { title } })
  const { learner, author, admin } = school
  await must(200, 'DELETE', `/api/episodes/tests/${school.test_id}`, author)
  const url = `/api/v1/users/${learner.user_id}`
  const { headers } = learner
  const named = await sso.inject({ method: 'PATCH', url, headers, payload: { display_name: 'Nobody' } })
  assert.equal(named.statusCode, 200, named.body)
  // Past the rules of profiles and sites, as a directory or an older release may have stored them.
  await db.pool`update sso.users set display_name = ${display_name} where user_id = ${learner.user_id}`
  await db.pool`update sso.tenants set name = ${issuer} where tenant_id = ${admin.tenant_id}`
  const { episode_id } = school
  await must(201, 'POST', '/api/progress', learner, { episode_id, completed: true })
  const { code } = await must(201, 'POST', `/api/channels/${school.channel_id}/certificate`, learner)
  const reply = await learning.inject({ url: `/api/certificates/${code}/pdf` })
  assert.equal(reply.statusCode, 200, reply.body)
  return reply.rawPayload
}

type Line = { x: number; y: number; size: number; top: number }

/** Reads a PDF as strictly as the standard: every object where the table says, one page, no action but our own link. */
function read(pdf: Buffer) {
  const text = pdf.toString('latin1')
  const table = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1])
  assert.match(text.slice(table, table + 5), /^xref/)
  const offsets = Array.from(text.slice(table).matchAll(/^(\d{10}) \d{5} n/gm), ([, at]) => Number(at))
  const objects = offsets.map((at, i) => {
    assert.ok(text.startsWith(`${i + 1} 0 obj`, at), `object ${i + 1} is not at ${at}`)
    return text.slice(at, text.indexOf('endobj', at))
  })
  const heads = objects.map((one) => one.split('stream\n', 1)[0] ?? '')
  assert.equal(heads.filter((head) => /\/Type \/Page\b(?!s)/.test(head)).length, 1)
  for (const name of ['JavaScript', 'JS', 'Launch', 'OpenAction', 'EmbeddedFile', 'SubmitForm', 'AA'])
    assert.ok(!heads.some((head) => new RegExp(`/${name}\\b`).test(withoutStrings(head))), name)
  assert.equal(heads.filter((head) => /\/S \/URI/.test(withoutStrings(head))).length, 1)
  const page = objects.find((one) => /\/Type \/Page\b(?!s)/.test(one)) ?? ''
  const content = objects[Number(/\/Contents (\d+) 0 R/.exec(page)?.[1]) - 1] ?? ''
  const bytes = Buffer.from(content.slice(content.indexOf('stream\n') + 7), 'latin1')
  const drawing = inflateSync(bytes).toString('latin1')
  return { drawing, lines: linesOf(drawing) }
}

const withoutStrings = (head: string) => head.replaceAll(/\((?:\\[^]|[^\\)])*\)/g, '()')

function linesOf(drawing: string): Line[] {
  // Only glyph numbers stand in what is shown, and nothing that a reader would take for an operator.
  const shown = Array.from(drawing.matchAll(/BT([^]*?)ET/g), ([, words = '']) => words)
  const STEP =
    /\s*(?:1 0 0 1 ([\d.-]+) ([\d.-]+) Tm|\/F\d+ ([\d.]+) Tf|\[(?:<[0-9a-f]*>|[\d.-]+|\s)*\] TJ|0 Tr)\s*/gy
  return shown.map((words) => {
    STEP.lastIndex = 0
    const steps: RegExpExecArray[] = []
    for (let step = STEP.exec(words); step; step = STEP.exec(words)) steps.push(step)
    const end = steps.at(-1)
    assert.equal(end && end.index + end[0].length, words.length, `not a plain text: ${words.slice(0, 200)}`)
    const ys = steps.flatMap(([, , y]) => (y === undefined ? [] : [Number(y)]))
    return {
      x: Number(steps[0]?.[1]),
      y: ys[0] ?? NaN,
      size: Number(steps.find(([, , , size]) => size)?.[3]),
      top: Math.max(...ys),
    }
  })
}

const PLAIN = ['Mira Okafor', 'Astronomy', 'Lyceum'] as const
const OPERATORS = ') Tj ET Q endstream endobj << /S /JavaScript /JS (app.alert\\(1\\)) >> (\\'
const CONTROLS = '\u0001\u0007\u001b[31m\u007f\u0085\u2028\u2029\ufeff'
const TURNED = '\u202egnp.eman\u202c \u2067\u2066\u200f\u200e\u061c a'

describe('the sheet of a certificate', () => {
  for (const [what, name] of [
    ['operators of PDF', OPERATORS],
    ['an end of the file', `a\n%%EOF\nxref\n0 1\ntrailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF`],
    ['control characters', `a${CONTROLS}b`],
    ['marks of direction', TURNED],
    ['a stack of 150 marks above one letter', `Z${'\u0301'.repeat(150)}o`],
    ['nothing that the font has', '👩🏽‍🚀🦉'],
    ['a script that the font lacks', '李小龍 ᚠᚢ 𒀀'],
  ] as const)
    test(`holds its form with ${what} in name, title and issuer`, async () => {
      const { lines } = read(await sheetOf(name, name, name))
      const plain = read(await sheetOf(...PLAIN))
      for (const { x, y, top } of lines)
        assert.ok(x >= 32 && x < 810 && y > 32 && top < 563, `${x} ${y} ${top}`)
      assert.ok(lines.length >= plain.lines.length - 3)
    })

  test('writes no character that hides or turns what stands beside it', async () => {
    const [clean, hidden] = await Promise.all([
      sheetOf('Ada Lovelace', 'Course', 'School'),
      sheetOf(`A\u202ed\u0001a \u2066Love\u200flace\u0007`, 'Co\u2067ur\u007fse', 'Sch\u200eo\u0085ol'),
    ])
    const glyphs = ({ drawing }: { drawing: string }) =>
      Array.from(drawing.matchAll(/<([0-9a-f]+)>/g), ([, one]) => one).slice(0, 6)
    assert.deepEqual(glyphs(read(hidden)), glyphs(read(clean)))
  })

  for (const [what, longest] of [
    ['of wide letters without a space', 'W'.repeat(200)],
    ['of words', `${'word '.repeat(39)}last`],
    ['of Hebrew', 'מילה '.repeat(40).trim()],
    ['of letters with marks', 'w̋'.repeat(100)],
  ] as const)
    test(`keeps the longest texts ${what} on the page and apart from each other`, async () => {
      const { lines } = read(await sheetOf(longest, longest, longest))
      const rows = [...new Map(lines.map((line) => [line.y, line])).values()].toSorted((a, b) => b.y - a.y)
      for (const [i, row] of rows.entries()) {
        assert.ok(row.y > 40 && row.y < 560, `${row.y} is off the page`)
        const next = rows[i + 1]
        if (next) assert.ok(row.y - next.y >= next.size * 0.9, `${row.y} runs into ${next.y}`)
      }
    })
})
