import type { Context, SQSEvent } from 'aws-lambda'
import { hasCode, messageOf } from '../../errors.ts'
import { call } from './call.ts'
import { cloudOf, type CrashCloud } from './cloud.ts'
import { type Lab, queueOf } from './lab.ts'
import { queueArnOf } from './places.ts'
import { type Letter, receive, remove, VISIBILITY_MS } from './sqs.ts'
import { type Actor, enter, LONGEST_MS } from './world.ts'

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<unknown>
/** What is explored, made anew for each invocation: handlers by the name of their queue. */
export type Build = (cloud: CrashCloud) => ReadonlyMap<string, QueueHandler>

/** Lambda hands one message to an invocation of its own. */
export function deliver(lab: Lab, build: Build, queueName: string, letter: Letter): void {
  const { world } = lab
  const record = receive(queueOf(lab, queueName), letter, world.now, queueArnOf(queueName))
  const actor = enter(world, 0)
  const again = letter.receives > 1 ? ', again' : ''
  world.log.push(`${actor.name} receives ${letter.id} of ${queueName}${again}`)
  world.current = actor
  const handler = build(cloudOf(lab, actor)).get(queueName)
  if (handler === undefined) throw new Error(`nothing listens to ${queueName}`)
  const event = { Records: [record] }
  const answered = new Promise((resolve) => resolve(handler(event, contextOf(actor, lab))))
  answered.then(
    (response) => answer(lab, actor, queueName, letter, response),
    (error: unknown) => fail(lab, actor, queueName, letter, error),
  )
}

function answer(
  lab: Lab,
  actor: Actor,
  queueName: string,
  letter: Letter,
  response: unknown,
): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  const stays = hasFailures(response)
  lab.world.log.push(`${actor.name} ends: the message ${stays ? 'stays' : 'is acknowledged'}`)
  if (!stays) acknowledge(lab, actor, queueName, letter)
}

function hasFailures(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return false
  if (!('batchItemFailures' in response)) return false
  const { batchItemFailures } = response
  return Array.isArray(batchItemFailures) && batchItemFailures.length > 0
}

/** These end a call for its caller: what stands behind them is for a person, and calling again changes nothing. */
const TELLING = ['TERMINAL', 'UNKNOWN_OUTCOME', 'REJECTED'] as const

function fail(lab: Lab, actor: Actor, queueName: string, letter: Letter, error: unknown): void {
  if (actor.state === 'killed') return
  actor.state = 'answered'
  lab.world.log.push(`${actor.name} throws: ${messageOf(error)}`)
  if (!TELLING.some((code) => hasCode(error, code))) return
  lab.told += 1
  remove(queueOf(lab, queueName), letter.id)
}

function acknowledge(lab: Lab, actor: Actor, queueName: string, letter: Letter): void {
  const lambda: Actor = { ...actor, name: `Lambda, for ${actor.name},`, role: 'lambda' }
  void call(
    lab.world,
    { ...lambda, state: 'running' },
    {
      what: `deletes ${letter.id}`,
      apply: async () => remove(queueOf(lab, queueName), letter.id),
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

/** When a message comes back by itself, no invocation that had it can still run. */
export const REST_MS: number = VISIBILITY_MS
