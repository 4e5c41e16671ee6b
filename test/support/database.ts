import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '#foundation/database/database.ts'
import { atEnd, shared } from './endings.ts'
import {
  asAdmin,
  inDatabase,
  makeTemplate,
  startTestServer,
  TEMPLATE,
  TEST_SERVER,
  type TestServer,
} from './server.ts'

export type TestDatabase = { db: Database; url: string; close: () => Promise<void> }

/** A new, migrated database for this caller. It is dropped when the process ends. */
export async function testDatabase(limits: Limits = {}): Promise<TestDatabase> {
  await (template ??= shared(findTemplate))
  return newDatabase(TEMPLATE, limits)
}

/** The same without any schema of ours. */
export const emptyDatabase = () => newDatabase('template1')

/** No test may meet a time limit of the product by chance. One that tests a limit hands in the patience of the product, 1. */
export const PATIENCE = 30
type Limits = { patience?: number }

async function newDatabase(from: string, { patience = PATIENCE }: Limits = {}): Promise<TestDatabase> {
  const server = await (found ??= shared(findServer))
  const name = `lyceum_test_${randomBytes(6).toString('hex')}`
  await asAdmin(server, (sql) => sql.unsafe(`create database ${name} template ${from} owner ${server.role}`))
  const url = inDatabase(server.app, name)
  const db = openDatabase({ url, poolSize: 6, idleSeconds: 10, patience, silenceMs: 60_000 })
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await db.close()
    await asAdmin(server, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`))
  }
  atEnd(close)
  return { db, url, close }
}

/** The same database as the superuser of the server. */
export async function asSuperuser(url: string): Promise<Database> {
  const { admin } = await (found ??= shared(findServer))
  const name = /lyceum_test_[0-9a-f]+/.exec(url)?.[0] ?? ''
  const db = openDatabase({
    url: inDatabase(admin, name),
    poolSize: 2,
    idleSeconds: 10,
    patience: PATIENCE,
    silenceMs: 60_000,
  })
  atEnd(() => db.close())
  return db
}

let found: Promise<TestServer> | undefined
let template: Promise<void> | undefined

/** The shared server of the run. A test file that runs alone starts its own. */
async function findServer(): Promise<TestServer> {
  const given = process.env[TEST_SERVER]
  if (given) return JSON.parse(given) as TestServer
  const { server, stop } = await startTestServer()
  atEnd(stop)
  return server
}

/** Made when the first test wants it: a file that needs none does not depend on the migrations. */
async function findTemplate(): Promise<void> {
  if (process.env[TEST_SERVER] === undefined) await makeTemplate(await (found ??= shared(findServer)))
}
