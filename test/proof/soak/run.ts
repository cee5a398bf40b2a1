import { readdirSync } from 'node:fs'
import { env, exit, stdout } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type SqsServer, sqsServer } from '../../send/sqsServer.ts'
import { ENTRIES, forgetfulStore } from './entries.ts'

/**
 * `npm run soak -- [--minutes N] [--entry X]`: works with each entry for N minutes (10 by default) and compares heap, open files and
 * connections in the first half with those at the end. What is made for each call and never let go grows by hundreds a second.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, entry: { type: 'string' } },
})
const forMs = Number(values.minutes) * 60_000
const names = values.entry === undefined ? Object.keys(ENTRIES) : [values.entry]
if (!(forMs > 0) || names.some((name) => ENTRIES[name] === undefined)) {
  throw new Error(
    `--minutes takes a number above 0, --entry one of ${Object.keys(ENTRIES).join(', ')}`,
  )
}

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

interface Level {
  readonly heapMb: number
  readonly files: number
  readonly connections: number
}

/** Growth that is none: caches of the engine, and connections that were closed and opened again. */
const ALLOWED: Level = { heapMb: 5, files: 10, connections: 5 }

async function levelOf(server: SqsServer): Promise<Level> {
  for (let turn = 0; turn < 3; turn += 1) {
    await setImmediate()
    collect()
  }
  return {
    heapMb: process.memoryUsage().heapUsed / 1_048_576,
    files: readdirSync('/proc/self/fd').length,
    connections: server.open,
  }
}

const kinds = ['heapMb', 'files', 'connections'] as const

/** A collection leaves a few megabytes behind at one time and not at another. */
function lowest(levels: readonly Level[]): Level {
  const [heapMb, files, connections] = kinds.map((kind) =>
    Math.min(...levels.map((level) => level[kind])),
  )
  return { heapMb, files, connections } as Level
}

async function soak(name: string): Promise<boolean> {
  await using server = await sqsServer()
  Object.assign(env, server.environment)
  const { store, renew } = forgetfulStore()
  const work = ENTRIES[name]?.(store) ?? (() => Promise.resolve())
  let nth = 0
  const workFor = async (milliseconds: number): Promise<Level> => {
    for (const end = Date.now() + milliseconds; Date.now() < end;) {
      await work((nth += 1))
      if (nth % 500 === 0) renew()
    }
    renew()
    return levelOf(server)
  }
  const levels: Level[] = []
  while (levels.length < 6) levels.push(await workFor(forMs / 6))
  const before = lowest(levels.slice(1, 3))
  const after = lowest(levels.slice(4))
  const grown = kinds.filter((kind) => after[kind] - before[kind] > ALLOWED[kind])
  const shown = kinds.map(
    (kind) => `${kind} ${before[kind].toFixed(1)} → ${after[kind].toFixed(1)}`,
  )
  const verdict = grown.length === 0 ? 'flat' : `GROWS: ${grown.join(', ')}`
  stdout.write(
    `${name}: ${nth} times, ${server.messages} messages; ${shown.join(', ')}: ${verdict}\n`,
  )
  return grown.length === 0
}

async function isFlat(name: string): Promise<boolean> {
  return soak(name).catch((error: unknown) => {
    stdout.write(`${name}: ${String(error)}\n`)
    return false
  })
}

const flat: boolean[] = []
for (const name of names) {
  // A leak grows again; what the engine keeps when code has become hot does not.
  flat.push((await isFlat(name)) || (await isFlat(name)))
}
const failed = flat.filter((each) => !each).length
stdout.write(`${flat.length - failed} passed, ${failed} failed\n`)
exit(failed === 0 ? 0 : 1)
