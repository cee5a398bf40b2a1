import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parsedBody } from '../../queues/deliverNext.ts'
import { servePrograms } from '../engines/loopbackGuard.ts'
import type { OutsideRequest, OutsideUrls } from './definition.ts'

/** `down`: answers 503 and does nothing. `answerLost`: does what it is asked, and breaks the connection before its answer. */
export type OutsideState = 'up' | 'down' | 'slow' | 'answerLost'

/** Services that handlers call by HTTP, on this machine. What they did outlives the handlers. */
export interface OutsideSystems {
  readonly urls: OutsideUrls
  /** The requests that were carried out, without those that were answered before. */
  calls(name: string): readonly OutsideRequest[]
  stateOf(name: string): { readonly state: OutsideState; readonly slowMs: number }
  set(name: string, state: OutsideState, slowMs?: number): void
  stop(): Promise<void>
}

/** @returns the body of an answer, for JSON */
type AnswerRequest = (name: string, request: OutsideRequest) => Promise<unknown>

interface System {
  readonly name: string
  state: OutsideState
  slowMs: number
  readonly calls: OutsideRequest[]
  /** Answers by idempotency key. */
  readonly answered: Map<string, Promise<string>>
}

const SLOW_MS = 2_000

/** Starts one server for all: a system's URL ends with its name. */
export async function startOutsideSystems(
  names: readonly string[],
  answer: AnswerRequest,
): Promise<OutsideSystems> {
  const systems = new Map<string, System>(
    names.map((name) => [
      name,
      { name, state: 'up', slowMs: SLOW_MS, calls: [], answered: new Map() },
    ]),
  )
  const known = (name: string): System => {
    const system = systems.get(name)
    if (system === undefined) throw new Error(`there is no outside system ${JSON.stringify(name)}`)
    return system
  }
  const { server, endpoint, stop } = await servePrograms((request, body) =>
    serve(systems, answer, request, body),
  )
  server.unref()
  return {
    urls: Object.fromEntries(
      names.map((name) => [name, `${endpoint}/${encodeURIComponent(name)}`]),
    ),
    calls: (name) => [...known(name).calls],
    stateOf: (name) => {
      const { state, slowMs } = known(name)
      return { state, slowMs }
    },
    set: (name, state, slowMs = SLOW_MS) => void Object.assign(known(name), { state, slowMs }),
    stop,
  }
}

async function serve(
  systems: ReadonlyMap<string, System>,
  answer: AnswerRequest,
  request: IncomingMessage,
  text: string,
): ReturnType<Parameters<typeof servePrograms>[0]> {
  const [, name = '', ...path] = (request.url ?? '').split('/')
  const system = systems.get(decodeURIComponent(name))
  if (system === undefined) return { status: 404, body: '{"error":"there is no such system"}' }
  if (system.state === 'down') return { status: 503, body: '{"error":"the system is down"}' }
  const body = await carryOut(system, answer, request, `/${path.join('/')}`, parsedBody(text))
  // A state that is set while a request waits is for the next one.
  if (system.state === 'slow') await sleep(system.slowMs, undefined, { ref: false })
  return system.state === 'answerLost' ? undefined : { status: 200, body }
}

async function carryOut(
  system: System,
  answer: AnswerRequest,
  request: IncomingMessage,
  path: string,
  body: unknown,
): Promise<string> {
  const key = request.headers['idempotency-key']
  const idempotencyKey = typeof key === 'string' ? key : undefined
  const known = idempotencyKey === undefined ? undefined : system.answered.get(idempotencyKey)
  if (known !== undefined) return known
  const call: OutsideRequest = {
    number: system.calls.length + 1,
    method: request.method ?? 'GET',
    path,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    body,
  }
  system.calls.push(call)
  const answering = answer(system.name, call).then((it) => JSON.stringify(it) ?? 'null')
  if (idempotencyKey !== undefined) system.answered.set(idempotencyKey, answering)
  return answering
}
