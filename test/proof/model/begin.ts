import { deliver } from './deliver.ts'
import type { Model } from './model.ts'
import { type Go, order } from './scenario.ts'
import { nativeRedrive } from '../../testing/nativeRedrive.ts'

/** SQS delivers one message twice: the second time at any moment. */
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

/** As `sentTwice`, but one invocation gets both; and SQS delivers one of them a second time. */
export async function sentTwiceInOneBatch(model: Model): Promise<void> {
  const [first, second] = [order(model), order(model)]
  deliver(model, [first, second])
  second.visibleAt = model.simulation.now
}

/** More than there can be dead letters of one death. */
const REDRIVES = 3

/** The operator redrives what is dead-lettered. */
export async function sentBackOnce(model: Model): Promise<void> {
  model.redrivesLeft = REDRIVES
  order(model)
}

/** The remaining time runs out while the claim is on the wire: the record is returned. */
export async function outOfTime(model: Model, { until }: Go): Promise<void> {
  await receivedTwice(model)
  await until('A claims')
  const [abort] = model.simulation.timers
  abort?.timer.fire()
}

/** An operator redrives the dead letter, and SQS delivers it twice. */
export async function sentBack(model: Model, { settle }: Go): Promise<void> {
  order(model)
  await settle()
  const [back] = nativeRedrive(model.deadLetters, model.queue, model.simulation.now)
  if (back === undefined) throw new Error('nothing was dead-lettered')
  deliver(model, [back])
  back.visibleAt = model.simulation.now
}

/** A resend confirmation is on the wire while the request dies and is redriven. */
export async function confirmedLate(model: Model, { settle, until }: Go): Promise<void> {
  const { simulation } = model
  order(model)
  const killed = await until('A confirms the resend: killed on the wire')
  killed.take()
  const late = simulation.pending
  simulation.pending = []
  await settle()
  simulation.pending = late
  model.redrivesLeft = REDRIVES
}
