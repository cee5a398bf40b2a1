import { deliver } from './deliver.ts'
import type { Lab } from './lab.ts'
import { type Go, order } from './scenario.ts'
import { nativeRedrive } from '../../testing/nativeRedrive.ts'

/** SQS hands one message out twice: the second time at any moment. */
export async function receivedTwice(lab: Lab): Promise<void> {
  const letter = order(lab)
  deliver(lab, [letter])
  letter.visibleAt = lab.world.now
}

/** The producer sent one request twice. */
export async function sentTwice(lab: Lab): Promise<void> {
  order(lab)
  order(lab)
}

/** As `sentTwice`, but one invocation gets both; and SQS hands one of them out a second time. */
export async function sentTwiceInOneBatch(lab: Lab): Promise<void> {
  const [first, second] = [order(lab), order(lab)]
  deliver(lab, [first, second])
  second.visibleAt = lab.world.now
}

/** More than there can be dead letters of one death. */
const REDRIVES = 3

/** What is dead-lettered, the operator sends back. */
export async function sentBackOnce(lab: Lab): Promise<void> {
  lab.redrivesLeft = REDRIVES
  order(lab)
}

/** The time is up while the claim is on its way: it is handed back. */
export async function outOfTime(lab: Lab): Promise<void> {
  await receivedTwice(lab)
  const [abort] = lab.world.timers
  abort?.timer.fire()
}

/** An operator sends the dead letter back, and SQS hands it out twice. */
export async function sentBack(lab: Lab, { settle }: Go): Promise<void> {
  order(lab)
  await settle()
  const [back] = nativeRedrive(lab.deadLetters, lab.queue, lab.world.now)
  if (back === undefined) throw new Error('nothing was dead-lettered')
  deliver(lab, [back])
  back.visibleAt = lab.world.now
}

/** A confirmation is on the wire while the request dies and is sent back. */
export async function confirmedLate(lab: Lab, { settle, until }: Go): Promise<void> {
  const { world } = lab
  order(lab)
  const killed = await until('A confirms the ticket: killed on the wire')
  killed.take()
  const late = world.pending
  world.pending = []
  await settle()
  world.pending = late
  lab.redrivesLeft = REDRIVES
}
