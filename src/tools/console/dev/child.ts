/**
 * Runs as a process of its own: the handlers and their event source mappings. It loads FILE when its parent asks for it, and is killed when
 * a file changes; the cloud and what they have sent live in its parent.
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError, messageOf } from '../../../library/base/errors.ts'
import { isObject } from '../../../library/base/kindOf.ts'
import { jsonLogger } from '../../../library/base/logger.ts'
import { bookContext, readBooks } from '../../../testing/local/dev/bookContext.ts'
import type { Dev, OutsideRequest, Sample } from '../../../testing/local/dev/definition.ts'
import { completeDev } from '../../../testing/local/dev/defineDev.ts'
import type { Faults } from '../../../testing/local/faults/faults.ts'
import type { LocalCloud } from '../../../testing/local/cloud/openCloud.ts'
import { joinLocalCloud } from '../../../testing/local/cloud/joinLocalCloud.ts'
import { mapConsumers } from '../../../testing/local/dev/mapConsumers.ts'
import type { QueueMapping } from '../../../testing/local/mapping/mapQueue.ts'
import { observeOutput, silenceDead } from '../../../testing/local/observe/observeOutput.ts'
import { observeLocalClouds } from '../../../testing/local/observe/publish.ts'
import { watchLoads } from './loadedFiles.ts'
import {
  connect,
  type Described,
  type OfHandlers,
  type OfParent,
  type CloudAddress,
} from './protocol.ts'

let dev: Dev | undefined
let joined: LocalCloud | undefined
const mappings = new Map<string, QueueMapping>()
/** By queue: takes back the fault that waits for its call. */
const strikes = new Map<string, () => void>()

const handlers = {
  load: (file) => attempt(() => load(file)),
  start: (place) => attempt(() => start(place)),
  setFaults: ({ queue, faults }) => mappings.get(queue)?.setFaults(faults),
  strike: ({ queue, fault, match }) => {
    strikes.get(queue)?.()
    const takeBack = fault === null ? undefined : mappings.get(queue)?.faultNextCall(fault, match)
    strikes.set(queue, takeBack ?? (() => {}))
  },
  pause: async (queue) => mappings.get(queue)?.pause(),
  resume: (queue) => mappings.get(queue)?.resume(),
  sample: ({ to, number }) => sampleAt(loaded().samples?.[to], number),
  readBooks: async ({ sent, atRest }) => {
    if (joined === undefined) return []
    const calls = async (system: string): Promise<readonly OutsideRequest[]> =>
      parent.ask('calls', system)
    const context = bookContext(joined, { sent, calls })
    return readBooks(loaded().books ?? {}, context, atRest)
  },
  answerOutside: async ({ name, request }) => {
    const answer = loaded().outside?.[name]?.answer
    return answer === undefined ? { id: `${name}-${request.number}` } : answer(request)
  },
} satisfies OfHandlers

const parent = connect<OfHandlers, OfParent>(
  {
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on('message', listener),
  },
  handlers,
)
// The parent has died: a consumer without its page must not take messages.
process.once('disconnect', () => process.exit())
// They may go to all processes of a terminal or a group: the parent ends this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

// Before FILE makes a logger: the line that an attempt has begun is one for debugging, and a killed attempt leaves no other.
const LEVELS = ['AWS_LAMBDA_LOG_LEVEL', 'POWERTOOLS_LOG_LEVEL', 'LOG_LEVEL']
if (LEVELS.every((name) => process.env[name] === undefined)) {
  process.env['AWS_LAMBDA_LOG_LEVEL'] = 'DEBUG'
}
observeOutput()
// Outermost: what a dead invocation writes is not observed either.
silenceDead()
observeLocalClouds((event) => {
  if (event.type === 'log') parent.tell('event', event)
})

async function load(file: string): Promise<void> {
  watchLoads((each) => parent.tell('loaded', each))
  dev = await devIn(file)
  parent.tell('described', describe(dev))
}

async function devIn(file: string): Promise<Dev> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as Readonly<
    Record<string, unknown>
  >
  const exported = module['default']
  // `await import()` of CommonJS has the exports in `default`.
  const given: unknown =
    isObject(exported) && 'default' in exported ? exported['default'] : exported
  if (given === undefined) {
    throw new ConfigError(
      `${file}: expected a default export, got ${Object.keys(module).join(', ') || 'no exports'}. Write: export default defineDev({ … })`,
    )
  }
  return completeDev(given)
}

function describe({ cloud, consumers, samples = {}, outside = {}, books = {} }: Dev): Described {
  return {
    cloud,
    consumers: Object.entries(consumers).map(([queue, { functionName, faults = {} }]) => ({
      queue,
      functionName: functionName ?? queue.replace('.', '-'),
      faults,
    })),
    samples: Object.fromEntries(
      Object.entries(samples).map(([to, sample]) => {
        return [to, { payload: sampleAt(sample, 1), counts: isMaker(sample) }]
      }),
    ),
    outside: Object.keys(outside),
    books: Object.keys(books),
  }
}

async function start(place: CloudAddress): Promise<void> {
  const { cloud: description, environment } = loaded()
  Object.assign(process.env, place.environment)
  joined = await joinLocalCloud(description, place.endpoints)
  await joined.instrumentAll(pathToFileURL(resolve(place.file)))
  Object.assign(process.env, environment?.(joined, place.outside))
  const faultsOf = (queue: string, ofFile: Faults): Faults => place.faults[queue] ?? ofFile
  const mapped = await mapConsumers(loaded(), joined, faultsOf, {
    logger: jsonLogger('WARN'),
    observe: (event) => parent.tell('event', event),
    managed: place.managed,
  })
  for (const [queue, { mapping }] of mapped) mappings.set(queue, mapping)
  for (const queue of place.paused) void mappings.get(queue)?.pause()
  const consumers = [...mapped].map(([queue, each]) => [queue, each.consumers] as const)
  parent.tell('ready', Object.fromEntries(consumers))
}

function isMaker(sample: Sample | undefined): sample is (number: number) => unknown {
  return typeof sample === 'function'
}

/** @param number counts from 1 */
function sampleAt(sample: Sample | undefined, number: number): unknown {
  return isMaker(sample) ? sample(number) : sample
}

function loaded(): Dev {
  if (dev === undefined) throw new Error('FILE is not loaded yet')
  return dev
}

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    parent.tell('failed', { message: messageOf(error), stack })
  }
}
