import {
  put,
  type SimulatedMessage,
  type SimulatedQueue,
} from '../../src/testing/queues/simulatedQueue.ts'

/** Redrives all messages as SQS itself does: new messages with the same body and attributes. */
export function nativeRedrive(
  from: SimulatedQueue,
  to: SimulatedQueue,
  now: number,
): SimulatedMessage[] {
  const redriven = from.messages.map(({ message }) => put(to, message, now))
  from.messages = []
  return redriven
}
