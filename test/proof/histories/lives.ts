import type { SQSClient } from '@aws-sdk/client-sqs'
import { StoreUnavailableError } from '../../../src/library/base/errors.ts'
import type { Failed, Store } from '../../../src/library/protocol/store/store.ts'
import type { FakeClock } from '../../../src/testing/fakeClock.ts'
import type { Chance } from './chance.ts'

/** An invocation, or another process: each of its calls waits until the schedule lets it go on, or is its last. */
export interface Life {
  readonly client: number
  /** Its clock stands still: whatever waits for its turn does not notice how late it is. */
  readonly clock: FakeClock
  lead<T>(call: () => Promise<T>, failed: () => T | Promise<T>): Promise<T>
}

export interface Lives {
  begin(): Life
  /** Lets a call that waits go on. @returns whether one was ready */
  resume(): boolean
  readonly waiting: number
  /** From now on nothing fails. */
  calm(): void
}

type Fate = 'made' | 'lost' | 'answerLost' | 'killed' | 'killedAfter'

interface Turn {
  /** Epoch milliseconds. A late call stays on the wire until others have taken over. */
  readonly notBefore: number
  readonly goOn: (fate: Fate) => void
}

/** Longer than every lease here. */
const LATE_MS = 40_000

export function openLives(chance: Chance, clock: FakeClock): Lives {
  let turns: Turn[] = []
  let lives = 0
  let isCalm = false
  const turn = (): Promise<Fate> =>
    new Promise((goOn) => {
      const isLate = !isCalm && chance.below(1) < 0.06
      turns.push({ notBefore: clock.now() + (isLate ? LATE_MS : 0), goOn })
    })
  return {
    begin() {
      const born = clock.now()
      const frozen: FakeClock = { ...clock, now: () => born, sleep: async () => {} }
      return openLife((lives += 1), frozen, turn)
    },
    resume() {
      const ready = turns.filter(({ notBefore }) => isCalm || notBefore <= clock.now())
      if (ready.length === 0) return false
      const next = chance.of(ready)
      turns = turns.filter((each) => each !== next)
      next.goOn(isCalm ? 'made' : fateOf(chance.below(1)))
      return true
    },
    get waiting() {
      return turns.length
    },
    calm() {
      isCalm = true
    },
  }
}

function fateOf(drawn: number): Fate {
  if (drawn < 0.03) return 'lost'
  if (drawn < 0.06) return 'answerLost'
  if (drawn < 0.09) return 'killed'
  return drawn < 0.11 ? 'killedAfter' : 'made'
}

function openLife(client: number, clock: FakeClock, turn: () => Promise<Fate>): Life {
  const silence = new Promise<never>(() => {})
  let isDead = false
  const end = (): Promise<never> => {
    isDead = true
    return silence
  }
  return {
    client,
    clock,
    async lead(call, failed) {
      if (isDead) return silence
      const fate = await turn()
      if (isDead || fate === 'killed') return end()
      if (fate === 'lost') return failed()
      const answer = await call()
      if (isDead || fate === 'killedAfter') return end()
      return fate === 'answerLost' ? failed() : answer
    },
  }
}

const NO_ANSWER = new StoreUnavailableError('no answer')

/** The store as this life reaches it. */
export function storeOf({ lead }: Life, store: Store): Store {
  const failed: Failed = { kind: 'failed', error: NO_ANSWER }
  return {
    create: (items) =>
      lead(
        () => store.create(items),
        () => items.map(() => failed),
      ),
    update: (updates) =>
      lead(
        () => store.update(updates),
        () => updates.map(() => failed),
      ),
    read: (keys, options) =>
      lead(
        () => store.read(keys, options),
        () => keys.map(() => failed),
      ),
    due: (query) =>
      lead(
        () => store.due(query),
        () => failed,
      ),
    transact: (claim, writes) =>
      lead(
        () => store.transact(claim, writes),
        () => failed,
      ),
    readUser: (key) =>
      lead(
        () => store.readUser(key),
        () => Promise.reject(NO_ANSWER),
      ),
  }
}

export function clientOf({ lead }: Life, sqs: Pick<SQSClient, 'send'>): SQSClient {
  const send = (command: Parameters<SQSClient['send']>[0]): Promise<unknown> =>
    lead<unknown>(
      () => sqs.send(command),
      () => Promise.reject(NO_ANSWER),
    )
  return { send } as unknown as SQSClient
}
