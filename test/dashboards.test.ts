import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { newDataDir, type Product, removeDataDir, startProduct } from '#testing/product.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../deploy', path), 'utf8')

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }
type Rule = {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string }
}
const dashboard = JSON.parse(read('grafana/lyceum.json')) as Dashboard
const { groups } = parse(read('prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)

/** `up` is what Prometheus itself adds. */
const namesIn = (expression: string) =>
  Array.from(expression.matchAll(/\b(?:lyceum|process|nodejs)_[a-z0-9_]+/g), ([name]) => name)

const labelsIn = (summary: string) =>
  Array.from(summary.matchAll(/\$labels\.(\w+)/g), ([, label]) => label).join(', ')

describe('the metrics', () => {
  const dataDir = newDataDir()
  let product: Product
  let metrics: string
  before(async () => {
    product = await startProduct(dataDir)
    await fetch(`${product.learning}/livez`)
    metrics = await (await fetch(`${product.learning}/metrics`)).text()
  })
  after(async () => {
    await product.end()
    removeDataDir(dataDir)
  })

  const isServed = (name: string) =>
    new RegExp(`^# TYPE ${name.replace(/_(?:bucket|count|sum)$/, '')} `, 'm').test(metrics)

  test('in every panel of the dashboard are served', () => {
    assert.ok(dashboard.panels.length >= 10)
    for (const { title, targets } of dashboard.panels)
      for (const { expr } of targets) {
        const names = namesIn(expr)
        assert.notEqual(names.length, 0, title)
        assert.deepEqual(
          names.filter((name) => !isServed(name)),
          [],
          title,
        )
      }
  })

  for (const { alert, expr, labels, annotations } of rules)
    test(`in the rule ${alert} are served, with its labels`, () => {
      const names = namesIn(expr)
      assert.ok(names.length > 0 || expr.startsWith('up{'))
      assert.deepEqual(
        names.filter((name) => !isServed(name)),
        [],
      )
      // `job` and `instance` come from Prometheus; a status has no row before its first answer.
      for (const [, label, value] of expr.matchAll(/\b(?!job|status)([a-z]+)="(\w+)"/g))
        assert.ok(metrics.includes(`${label}="${value}"`), `${label} ${value}`)
      for (const [, grouped = ''] of `${expr} by (${labelsIn(annotations.summary)})`.matchAll(
        /by \(([^)]*)\)/g,
      ))
        for (const label of grouped.split(', ').filter((one) => !/^(?:instance|)$/.test(one)))
          assert.match(metrics, new RegExp(`^lyceum_\\w+\\{(?:[^}]*,)?${label}="`, 'm'))
      assert.match(labels.severity, /^(?:page|ticket)$/)
    })

  test('of the program itself are all in the dashboard or in a rule', () => {
    const shown = new Set(
      [
        ...dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr))),
        ...rules.flatMap(({ expr }) => namesIn(expr)),
      ].map((name) => name.replace(/_(?:bucket|count|sum)$/, '')),
    )
    const served = Array.from(metrics.matchAll(/^# TYPE (lyceum_\w+)/gm), ([, name]) => name ?? '')
    assert.deepEqual(served.filter((name) => !shown.has(name)).toSorted(), [])
  })
})
