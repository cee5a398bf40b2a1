import * as option from '../../base/options.ts'
import { toMilliseconds } from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import { messageOf } from '../../base/errors.ts'
import { sortableId } from '../../base/sortableId.ts'
import type { Admission, Circuit } from '../../run/deliver/feature.ts'
import { outcomeOrThrow } from '../../protocol/store/store.ts'
import {
  type CircuitBreaker,
  type GuardedConsumer,
  circuitKey,
  type CircuitRow,
  moveProbe,
  openAgain,
  readCircuit,
  closeCircuit,
  writeCircuit,
} from './circuit.ts'

/**
 * Options of `circuitBreaker`. Durations are milliseconds or texts such as `'30s'`.
 * @example const options: CircuitBreakerOptions = { after: 20, when: () => true, probeAfter: '1m' }
 */
interface CircuitBreakerOptions {
  /** The circuit opens after so many such failures in a row in one process, 1 to 1,000; a handler that completes begins the count anew. @example after: 20 */
  readonly after: number
  /** Whether the error says that what the consumer depends on is down. An error of this function counts as no. */
  readonly when: (error: unknown) => boolean
  /** When one record is tried again, for the first time; then after as long as it has been open. 1 s or more. Default 30 s. */
  readonly probeAfter?: Duration
  /** The longest time between two probes. Default 5 minutes. */
  readonly probeEvery?: Duration
  /** How often a process reads whether another one has opened it. Default 5 s. */
  readonly readEvery?: Duration
}

const OPTIONS: option.Checks<CircuitBreakerOptions> = {
  after: option.required(option.whole(1, 1_000)),
  when: option.required(option.aFunction('(error) => error instanceof TimeoutError')),
  probeAfter: option.anything,
  probeEvery: option.anything,
  readEvery: option.anything,
}

/**
 * For the option `circuitBreaker` of a consumer or a stage. While what it depends on is down, no handler starts: records stay on the
 * queue, hidden for as long as the circuit has been open, and count no attempt. One record at a time is tried; when its handler completes, the
 * circuit closes. All processes share one row of the table.
 * @example
 * const breaker = circuitBreaker({ after: 20, when: (error) => String(error).includes('503') })
 * @throws ConfigError naming the option, what was expected and what was given
 */
export function circuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const who = 'circuitBreaker'
  option.checkOptions(who, options, OPTIONS)
  const times = {
    first: Math.max(toMilliseconds('probeAfter', options.probeAfter ?? '30s'), 1_000),
    most: toMilliseconds('probeEvery', options.probeEvery ?? '5m'),
    readEvery: toMilliseconds('readEvery', options.readEvery ?? '5s'),
  }
  return { openFor: (consumer) => openGate({ ...options, ...times }, consumer) }
}

interface Settings {
  readonly after: number
  readonly when: (error: unknown) => boolean
  /** Milliseconds, as the other times. */
  readonly first: number
  readonly most: number
  readonly readEvery: number
}

function openGate(settings: Settings, { name, store, clock, logger }: GuardedConsumer): Circuit {
  const fields = { consumer: name }
  let row: CircuitRow | undefined
  let readAt = -Infinity
  let failures = 0
  /** A probe of this process that did not start. */
  let spare: string | undefined

  async function read(): Promise<void> {
    if (clock.now() - readAt < settings.readEvery) return
    readAt = clock.now()
    const [found] = await store.read([circuitKey(name)])
    // Without an answer it stays as it was: the claims find out what is wrong with the table.
    if (found?.kind === 'found') row = readCircuit(found.item)
    if (found?.kind === 'notKnown') {
      logger.warn('the circuit is as this process last knew it', {
        ...fields,
        error: messageOf(found.error),
      })
    }
  }

  /** A record is received once for each doubling of the outage, so that it does not reach `maxReceiveCount`. */
  const waitOf = (since: number): number =>
    clock.now() + Math.max(clock.now() - since, settings.first)

  function useSpare({ id }: CircuitRow): string | undefined {
    if (spare !== id) return undefined
    spare = undefined
    return id
  }

  /** The next probe is due even if this one is killed, or turns out to have nothing to do. */
  async function takeProbe(circuit: CircuitRow): Promise<string | undefined> {
    const now = clock.now()
    // @protects no probe before its time
    if (now < circuit.probeAt) return undefined
    const next = now + Math.min(Math.max(now - circuit.since, settings.first), settings.most)
    const [moved] = await store.update([moveProbe(circuit, next)])
    if (moved?.kind !== 'applied') {
      readAt = -Infinity
      return undefined
    }
    row = { ...circuit, probeAt: next }
    return circuit.id
  }

  async function open(error: unknown): Promise<void> {
    const now = clock.now()
    const since = { since: now, probeAt: now + settings.first }
    const opened: CircuitRow = { name, id: sortableId(now), ...since, error: messageOf(error) }
    const created = outcomeOrThrow(await store.create([writeCircuit(opened)]))
    const written =
      created.kind === 'applied' ? created : outcomeOrThrow(await store.update([openAgain(opened)]))
    // After a lost answer the store has tried again, and was refused by its own item.
    const isOwn = written.kind === 'applied' || written.item?.['id'] === opened.id
    row = isOwn ? opened : readCircuit(written.item)
    readAt = now
    if (!isOwn) return
    const told = {
      ...fields,
      failures,
      error: opened.error,
      probeAt: new Date(opened.probeAt).toISOString(),
    }
    logger.error('circuit open: no handler is started until a probe completes', told)
  }

  async function release(circuit: CircuitRow): Promise<void> {
    const closed = outcomeOrThrow(await store.update([closeCircuit(circuit)]))
    row = undefined
    if (closed.kind !== 'applied') return
    logger.warn('circuit closed: a probe has completed', {
      ...fields,
      milliseconds: clock.now() - circuit.since,
    })
  }

  const isDown = (error: unknown): boolean => {
    try {
      return settings.when(error)
    } catch {
      return false
    }
  }

  return {
    async admit(wanted): Promise<Admission> {
      await read()
      const circuit = row
      if (circuit === undefined) return { admitted: wanted, probe: undefined, until: 0 }
      const probe = useSpare(circuit) ?? (await takeProbe(circuit))
      return { admitted: probe === undefined ? 0 : 1, probe, until: waitOf(circuit.since) }
    },
    unused(probe) {
      spare = probe
    },
    heldUntil: () => row && waitOf(row.since),
    async succeeded(probe) {
      // @protects a success begins the count anew
      failures = 0
      if (
        probe !== undefined &&
        // @protects a late probe of an earlier outage releases nothing
        // @without row !== undefined
        row?.id === probe
      )
        await release(row).catch(() => {})
    },
    async failed(error) {
      const circuit = row
      if (!isDown(error)) return undefined
      failures += 1
      if (circuit !== undefined) return waitOf(circuit.since)
      if (failures < settings.after) return undefined
      try {
        await open(error)
      } catch (failure) {
        const told = { ...fields, error: messageOf(failure) }
        logger.warn('the circuit could not be opened', told)
      }
      return undefined
    },
  }
}
