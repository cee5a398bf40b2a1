import type { Context, SQSEvent } from 'aws-lambda'
import { hasCode, messageOf } from '../../errors.ts'
import { stayingOf } from '../queues/batchAnswer.ts'
import { call } from './call.ts'
import { cloudOf, type CrashCloud } from './cloud.ts'
import { type Lab, queueOf } from './scheduleContext.ts'
import { queueArnOf } from '../queues/arns.ts'
import { type Letter, receive, remove } from '../queues/sqs.ts'
import { type Actor, enter, LONGEST_MS } from './simulation.ts'

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<unknown>
/** What is explored, made anew for each invocation: handlers by the name of their queue. */
export type Build = (cloud: CrashCloud) => ReadonlyMap<string, QueueHandler>

/** What one invocation has received. */
interface Delivery {
  readonly lab: Lab
  readonly actor: Actor
  readonly queue: string
  readonly letters: readonly Letter[]
}

/** The clock of the machine that an invocation runs on. */
export interface Clock {
  /** Milliseconds ahead. */
  readonly ahead: number
  readonly words: string
}

const RIGHT: Clock = { ahead: 0, words: '' }

/** Lambda hands messages to an invocation of their own. */
export function deliver(
  lab: Lab,
  build: Build,
  queue: string,
  letters: readonly Letter[],
  clock: Clock = RIGHT,
): void {
  const { world } = lab
  const from = queueOf(lab, queue)
  const Records = letters.map((letter) => receive(from, letter, world.now, queueArnOf(queue)))
  const actor = enter(world, clock.ahead)
  const again = letters.some(({ receives }) => receives > 1) ? ', again' : ''
  world.log.push(`${actor.name} receives ${namesOf(letters)} of ${queue}${again}${clock.words}`)
  world.current = actor
  const handler = build(cloudOf(lab, actor, { queue, letters })).get(queue)
  if (handler === undefined) throw new Error(`nothing listens to ${queue}`)
  const answered = new Promise((resolve) => resolve(handler({ Records }, contextOf(actor, lab))))
  const delivery = { lab, actor, queue, letters }
  answered.then(
    (response) => answer(delivery, response),
    (error: unknown) => fail(delivery, error),
  )
}

function answer(delivery: Delivery, response: unknown): void {
  const { lab, actor, letters } = delivery
  if (actor.state === 'killed') return
  actor.state = 'answered'
  const staying = stayingOf(response, letters)
  const done = letters.filter((letter) => !staying.includes(letter))
  lab.world.log.push(`${actor.name} ends: ${becomingOf(letters, staying, done)}`)
  if (done.length > 0) acknowledge(delivery, done)
}

function becomingOf(
  letters: readonly Letter[],
  staying: readonly Letter[],
  done: readonly Letter[],
): string {
  if (letters.length === 1) return `the message ${staying.length > 0 ? 'stays' : 'is acknowledged'}`
  return [
    ...(staying.length > 0 ? [`${namesOf(staying)} to stay`] : []),
    ...(done.length > 0 ? [`${namesOf(done)} acknowledged`] : []),
  ].join(', ')
}

function namesOf(letters: readonly Letter[]): string {
  return letters.map(({ id }) => id).join(' and ')
}

/** These end a call for its caller: what stands behind them is for a person, and calling again changes nothing. */
const TELLING = ['TERMINAL', 'UNKNOWN_OUTCOME', 'REJECTED'] as const

function fail({ lab, actor, queue, letters }: Delivery, error: unknown): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  lab.world.log.push(`${actor.name} throws: ${messageOf(error)}`)
  if (!TELLING.some((code) => hasCode(error, code))) return
  lab.told += 1
  for (const { id } of letters) remove(queueOf(lab, queue), id)
}

function acknowledge({ lab, actor, queue }: Delivery, letters: readonly Letter[]): void {
  const lambda: Actor = { ...actor, name: `Lambda, for ${actor.name},`, role: 'lambda' }
  void call(
    lab.world,
    { ...lambda, state: 'running' },
    {
      what: `deletes ${namesOf(letters)}`,
      apply: async () => {
        for (const { id } of letters) remove(queueOf(lab, queue), id)
      },
      unanswered: () => {},
      told: () => '',
      faults: ['request lost'],
    },
  )
}

function contextOf({ name, startedAt }: Actor, { world }: Lab): Context {
  const context: Partial<Context> = {
    functionName: 'explored',
    awsRequestId: name,
    getRemainingTimeInMillis: () => LONGEST_MS - (world.now - startedAt),
  }
  return context as Context
}
