import type { Clock } from '../../src/clock.ts'
import { hash } from 'node:crypto'
import type { Settlement } from '../../src/batch/settlement.ts'
import type { Timer } from './timers.ts'

/** What may go wrong with a call. */
export type CallFault =
  /** It never arrives, and the SDK gives up. */
  | 'request lost'
  /** It takes effect, but no answer arrives, and the SDK gives up. */
  | 'answer lost'
  /** It takes effect, the answer is lost, and the SDK sends it again. */
  | 'repeated'
  /** Refused for load: nothing happened, and the caller knows it. */
  | 'throttled'
  /** An eventually consistent read shows the item as it was before its last change. */
  | 'stale'
  | 'killed before'
  | 'killed after'
  /** The sandbox dies, the request arrives later: at once, or at any moment until the end. */
  | 'killed on the wire'
export type Fault = CallFault | 'clock jumps' | 'time is up' | 'delete lost'

/** One invocation. */
export interface Actor {
  readonly name: string
  readonly startedAt: number
  state: 'running' | 'answered' | 'killed'
  /** Digest of all it was told: two that know the same do the same. */
  knows: string
  settlement: Settlement | undefined
}

/** One call to a service: nothing happens until the explorer lets it. */
export interface Call<A> {
  readonly what: string
  readonly apply: () => Promise<A>
  readonly faults: readonly CallFault[]
  /** What the caller is told when it gets no answer. */
  readonly unanswered?: () => A
  readonly throttled?: () => A
  readonly stale?: () => Promise<A>
  /** The second arrival of the same request. */
  readonly repeat?: (first: A) => Promise<A>
}

/** Something that can happen next. */
export interface Option {
  readonly words: string
  readonly fault: Fault | undefined
  readonly take: () => void
}

export interface Pending {
  readonly actor: Actor
  readonly what: string
  readonly knew: string
  readonly options: () => Option[]
}

export interface World {
  readonly clock: Clock
  now: number
  faultsLeft: number
  readonly faults: ReadonlySet<Fault>
  readonly actors: Actor[]
  /** Who runs at this moment: timers are set in its name. */
  current: Actor | undefined
  pending: Pending[]
  timers: { readonly actor: Actor; readonly timer: Timer }[]
  readonly log: string[]
  violation: string | undefined
  /** Attempt ids are random; in a state they go by the name of their invocation. */
  readonly names: Map<string, string>
}

export function openWorld(faultsLeft: number, faults: Iterable<Fault>): World {
  const world: World = {
    clock: { now: () => world.now, sleep: () => Promise.reject(new Error('nobody sleeps here')) },
    now: Date.UTC(2026, 0, 1),
    faultsLeft,
    faults: new Set(faults),
    actors: [],
    current: undefined,
    pending: [],
    timers: [],
    log: [],
    violation: undefined,
    names: new Map(),
  }
  return world
}

export function violate(world: World, what: string): void {
  world.violation ??= what
}

export function enter(world: World, name: string): Actor {
  const actor: Actor = {
    name,
    startedAt: world.now,
    state: 'running',
    knows: name,
    settlement: undefined,
  }
  world.actors.push(actor)
  return actor
}

export function leave(world: World, actor: Actor, how: 'answered' | 'killed'): void {
  if (actor.state !== 'killed') actor.state = how
  if (how === 'answered') return
  world.pending = world.pending.filter((each) => each.actor !== actor)
  world.timers = world.timers.filter((each) => each.actor !== actor)
}

const ULID = /01[\dA-HJKMNP-TV-Z]{24}/g

export function plain(world: World, value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof Set || each instanceof Map) return [...each]
    return each instanceof Error ? each.message : each
  })
  return (text ?? '').replace(ULID, (id) => world.names.get(id) ?? 'somebody')
}

export function learn(world: World, actor: Actor, told: unknown): void {
  actor.knows = hash('md5', `${actor.knows}\n${world.now}\n${plain(world, told)}`, 'base64')
}

/** Resolves when the explorer lets the call have an answer; never, when its caller is killed. */
export function call<A>(world: World, actor: Actor, request: Call<A>): Promise<A> {
  return new Promise((resolve) => {
    const tell = (answer: A): void => {
      learn(world, actor, answer)
      resolve(answer)
    }
    wait(world, actor, request, tell)
  })
}

function wait<A>(world: World, actor: Actor, request: Call<A>, tell: (answer: A) => void): void {
  const pending: Pending = {
    actor,
    what: request.what,
    knew: actor.knows,
    options: () => optionsOf(world, pending, request, tell),
  }
  world.pending.push(pending)
}

function optionsOf<A>(
  world: World,
  pending: Pending,
  request: Call<A>,
  tell: (answer: A) => void,
): Option[] {
  const { actor, what } = pending
  const done = (): void => {
    world.pending = world.pending.filter((each) => each !== pending)
  }
  const begin = (then: (answer: A) => void): void => {
    done()
    void request.apply().then(then)
  }
  const killed = (rest: () => void): void => {
    leave(world, actor, 'killed')
    rest()
  }
  const again = (first: A): void =>
    wait(
      world,
      actor,
      {
        ...request,
        what: `${what} (again, by the SDK)`,
        faults: [],
        apply: () => request.repeat?.(first) ?? request.apply(),
      },
      tell,
    )
  const FAULTS: Readonly<Record<CallFault, (() => void) | undefined>> = {
    'request lost': request.unanswered && (() => (done(), tell(request.unanswered!()))),
    'answer lost': request.unanswered && (() => begin(() => tell(request.unanswered!()))),
    throttled: request.throttled && (() => (done(), tell(request.throttled!()))),
    stale: request.stale && (() => (done(), void request.stale!().then(tell))),
    repeated: () => begin(again),
    'killed before': () => killed(() => {}),
    'killed after': () => (begin(() => {}), killed(() => {})),
    'killed on the wire': () =>
      killed(() =>
        wait(world, actor, { ...request, what: `${what} (late)`, faults: [] }, () => {}),
      ),
  }
  const faults = world.faultsLeft > 0 && actor.state === 'running' ? request.faults : []
  return [
    { words: `${actor.name} ${what}`, fault: undefined, take: () => begin(tell) },
    ...faults
      .filter((fault) => world.faults.has(fault) && FAULTS[fault] !== undefined)
      .map((fault) => ({ words: `${actor.name} ${what}: ${fault}`, fault, take: FAULTS[fault]! })),
  ]
}
