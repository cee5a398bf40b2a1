import * as option from '../../base/options.ts'
import { toMilliseconds } from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import { messageOf } from '../../base/errors.ts'
import { sortableId } from '../../base/sortableId.ts'
import { outcomeOrThrow } from '../../store/store.ts'
import {
  type Admission,
  type Brake,
  type BrakedConsumer,
  type BrakeGate,
  brakeKey,
  type BrakeRow,
  moveProbe,
  putOnAgain,
  readBrake,
  takeOff,
  writeBrake,
} from './brake.ts'

/**
 * Options of `circuitBreaker`. Durations are milliseconds or texts such as `'30s'`.
 * @example const options: CircuitBreakerOptions = { after: 20, of: () => true, probeAfter: '1m' }
 */
export interface CircuitBreakerOptions {
  /** It is put on after so many such failures in a row in one process, 1 to 1,000; a handler that completes begins the count anew. @example after: 20 */
  readonly after: number
  /** Whether the error says that what the consumer depends on is down. An error of this function counts as no. */
  readonly of: (error: unknown) => boolean
  /** When one record is tried again, for the first time; then after as long as it has been on. 1 s or more. Default 30 s. */
  readonly probeAfter?: Duration
  /** The longest time between two probes. Default 5 minutes. */
  readonly probeEvery?: Duration
  /** How often a process reads whether another one has put it on. Default 5 s. */
  readonly readEvery?: Duration
}

const OPTIONS: option.Checks<CircuitBreakerOptions> = {
  after: option.required(option.whole(1, 1_000)),
  of: option.required(option.aFunction('(error) => error instanceof TimeoutError')),
  probeAfter: option.anything,
  probeEvery: option.anything,
  readEvery: option.anything,
}

/**
 * For the option `brake` of a consumer or a stage. While what it depends on is down, no handler starts: records stay on the queue,
 * hidden for as long as the brake has been on, and count no attempt. One record at a time is tried; when its handler completes, the
 * brake is off. All processes share one row of the table.
 * @example
 * const brake = circuitBreaker({ after: 20, of: (error) => String(error).includes('503') })
 * @throws ConfigError naming the option, what was expected and what was given
 */
export function circuitBreaker(options: CircuitBreakerOptions): Brake {
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
  readonly of: (error: unknown) => boolean
  /** Milliseconds, as the other times. */
  readonly first: number
  readonly most: number
  readonly readEvery: number
}

function openGate(settings: Settings, { name, store, clock, logger }: BrakedConsumer): BrakeGate {
  const fields = { consumer: name }
  let row: BrakeRow | undefined
  let readAt = -Infinity
  let failures = 0
  /** A probe of this process that did not start. */
  let spare: string | undefined

  async function read(): Promise<void> {
    if (clock.now() - readAt < settings.readEvery) return
    readAt = clock.now()
    const [found] = await store.read([brakeKey(name)])
    // Without an answer it stays as it was: the claims find out what is wrong with the table.
    if (found?.kind === 'found') row = readBrake(found.item)
  }

  /** A record is received once for each doubling of the time, so that it does not come to maxReceiveCount. */
  const waitOf = (since: number): number =>
    clock.now() + Math.max(clock.now() - since, settings.first)

  function useSpare({ id }: BrakeRow): string | undefined {
    if (spare !== id) return undefined
    spare = undefined
    return id
  }

  /** The next probe is due even if this one is killed, or turns out to have nothing to do. */
  async function takeProbe(on: BrakeRow): Promise<string | undefined> {
    const now = clock.now()
    // @protects no probe before its time
    if (now < on.probeAt) return undefined
    const next = now + Math.min(Math.max(now - on.since, settings.first), settings.most)
    const [moved] = await store.update([moveProbe(on, next)])
    if (moved?.kind !== 'applied') {
      readAt = -Infinity
      return undefined
    }
    row = { ...on, probeAt: next }
    return on.id
  }

  async function putOn(error: unknown): Promise<void> {
    const now = clock.now()
    const since = { since: now, probeAt: now + settings.first }
    const on: BrakeRow = { name, id: sortableId(now), ...since, error: messageOf(error) }
    const created = outcomeOrThrow(await store.create([writeBrake(on)]))
    const written =
      created.kind === 'applied' ? created : outcomeOrThrow(await store.update([putOnAgain(on)]))
    // After a lost answer the store has tried again, and was refused by its own item.
    const isOwn = written.kind === 'applied' || written.item?.['id'] === on.id
    row = isOwn ? on : readBrake(written.item)
    readAt = now
    if (!isOwn) return
    const told = {
      ...fields,
      failures,
      error: on.error,
      probeAt: new Date(on.probeAt).toISOString(),
    }
    logger.error('brake on: no handler is started until a probe completes', told)
  }

  async function release(on: BrakeRow): Promise<void> {
    const off = outcomeOrThrow(await store.update([takeOff(on)]))
    row = undefined
    if (off.kind !== 'applied') return
    logger.warn('brake off: a probe has completed', {
      ...fields,
      milliseconds: clock.now() - on.since,
    })
  }

  const isDown = (error: unknown): boolean => {
    try {
      return settings.of(error)
    } catch {
      return false
    }
  }

  return {
    async admit(wanted): Promise<Admission> {
      await read()
      const on = row
      if (on === undefined) return { admitted: wanted, probe: undefined, until: 0 }
      const probe = useSpare(on) ?? (await takeProbe(on))
      return { admitted: probe === undefined ? 0 : 1, probe, until: waitOf(on.since) }
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
      const on = row
      if (!isDown(error)) return undefined
      failures += 1
      if (on !== undefined) return waitOf(on.since)
      if (failures < settings.after) return undefined
      try {
        await putOn(error)
      } catch (failure) {
        const told = { ...fields, error: messageOf(failure) }
        logger.warn('the brake could not be put on', told)
      }
      return undefined
    },
  }
}
