import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { tableDefinition } from 'lineclear/dynamodb'
import { freePort } from '../../../store/dynoxide.ts'
import { findDynoxide } from '../../../store/findDynoxide.ts'

export const MANY = 100_000
/** The last ones are of the consumer `refunds`, the others of `orders`. */
const OF_REFUNDS = 1_000
/** Partitions of the index `byStatus`. */
const SHARDS = 8
const TABLE = 'lineclear'
/** Milliseconds. */
const NIGHT = Date.parse('2026-01-31T03:00:00Z')

interface ManyItems {
  /** Of the engine, and its table. */
  readonly dynamodb: string
  readonly table: string
  stop(): Promise<void>
}

/** A table of 100,000 requests that wait for an operator. The engine imports them: to write them one by one takes minutes. */
export async function manyItems(): Promise<ManyItems> {
  const folder = mkdtempSync(join(tmpdir(), 'lineclear-many-'))
  const data = join(folder, 'export', TABLE, 'data')
  const schema = join(folder, 'schema.json')
  mkdirSync(data, { recursive: true })
  const lines = Array.from({ length: MANY }, (_, at) => JSON.stringify({ Item: itemOf(at) }))
  writeFileSync(join(data, 'items.json.gz'), gzipSync(lines.join('\n'), { level: 1 }))
  writeFileSync(schema, JSON.stringify([{ Table: tableDefinition({ tableName: TABLE }) }]))
  const port = await freePort()
  const binary = findDynoxide()
  if (binary === undefined)
    throw new Error('only the native engine imports, and it is not installed')
  const engine = spawn(
    binary,
    [
      'import',
      '--source',
      join(folder, 'export'),
      '--schema',
      schema,
      '--serve',
      '--port',
      `${port}`,
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise((end) => engine.once('close', end))
  const dynamodb = `http://127.0.0.1:${port}`
  await answering(dynamodb, engine)
  return {
    dynamodb,
    table: TABLE,
    stop: async () => {
      engine.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function answering(url: string, engine: ChildProcess): Promise<void> {
  while (engine.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer !== undefined) return
    await new Promise((next) => setTimeout(next, 50))
  }
  throw new Error('the items were not imported')
}

/** As `recordHandler` parks a request whose attempts are exhausted. */
function itemOf(at: number): object {
  const consumer = at < MANY - OF_REFUNDS ? 'orders' : 'refunds'
  const created = new Date(NIGHT + at * 100).toISOString()
  return {
    pk: { S: `lock#${consumer}/order-${at}` },
    sk: { S: 'token' },
    status: { S: 'error' },
    statusShard: { S: `error#${at % SHARDS}` },
    dueAt: { N: String(NIGHT + at * 100) },
    created: { S: created },
    expectedCompletion: { S: created },
    actualCompletion: { S: created },
    attempt: { N: '3' },
    fence: { N: '3' },
    death: { N: '1' },
    attemptId: { S: '01M81QZ09NJP04RMA54S789V5K.3' },
    lockedBy: { S: 'orders/f0bed48c-969a-4fe7-94d8-cc4a4ede02d2' },
    reason: { S: 'exhausted' },
    error: { S: 'Error: connect ECONNREFUSED payments.example:443' },
  }
}
