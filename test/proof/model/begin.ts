import { deliver } from './deliver.ts'
import type { Model } from './model.ts'
import { type Go, order } from './scenario.ts'
import { nativeRedrive } from '../../testing/nativeRedrive.ts'

/** SQS hands one message out twice: the second time at any moment. */
export async function receivedTwice(model: Model): Promise<void> {
  const message = order(model)
  deliver(model, [message])
  message.visibleAt = model.simulation.now
}

/** The producer sent one request twice. */
export async function sentTwice(model: Model): Promise<void> {
  order(model)
  order(model)
}

/** As `sentTwice`, but one invocation gets both; and SQS hands one of them out a second time. */
export async function sentTwiceInOneBatch(model: Model): Promise<void> {
  const [first, second] = [order(model), order(model)]
  deliver(model, [first, second])
  second.visibleAt = model.simulation.now
}

/** More than there can be dead letters of one death. */
const REDRIVES = 3

/** What is dead-lettered, the operator sends back. */
export async function sentBackOnce(model: Model): Promise<void> {
  model.redrivesLeft = REDRIVES
  order(model)
}

/** The time is up while the claim is on its way: it is handed back. */
export async function outOfTime(model: Model): Promise<void> {
  await receivedTwice(model)
  const [abort] = model.simulation.timers
  abort?.timer.fire()
}

/** An operator sends the dead letter back, and SQS hands it out twice. */
export async function sentBack(model: Model, { settle }: Go): Promise<void> {
  order(model)
  await settle()
  const [back] = nativeRedrive(model.deadLetters, model.queue, model.simulation.now)
  if (back === undefined) throw new Error('nothing was dead-lettered')
  deliver(model, [back])
  back.visibleAt = model.simulation.now
}

/** A confirmation is on the wire while the request dies and is sent back. */
export async function confirmedLate(model: Model, { settle, until }: Go): Promise<void> {
  const { simulation } = model
  order(model)
  const killed = await until('A confirms the ticket: killed on the wire')
  killed.take()
  const late = simulation.pending
  simulation.pending = []
  await settle()
  simulation.pending = late
  model.redrivesLeft = REDRIVES
}
