import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import { deadLetterQueueName, lastSegment } from '../../../src/testing/queues/description.ts'
import { attributeOf, type SimulatedMessage } from '../../../src/testing/queues/simulatedQueue.ts'
import { sendNatively } from './operatedQueues.ts'
import type { Rig } from './rig.ts'

/** `ours`: lineclear dlq redrive. `native`: StartMessageMoveTask, to the queue that each came from. */
export type Way = 'ours' | 'native'

/** Redrives all dead letters. */
export async function redrive(rig: Rig, way: Way): Promise<void> {
  const { queues, clock, trace } = rig
  for (const [name, queue] of queues.all()) {
    if (name !== deadLetterQueueName(name) || queue.messages.length === 0) continue
    trace.push(`redrive (${way}): ${queue.messages.map(describe).join(' ')}`)
    if (way === 'ours') {
      const { moved } = await redriveDeadLetters({
        queue: name,
        sqs: queues.sqs,
        clock,
        mode: 'apply',
      })
      if (moved === 0) throw new Error('nothing was redriven')
      continue
    }
    copyBack(rig, queue.messages)
    queue.messages = []
  }
}

/** Copies of the dead letters as new messages; the dead letters stay where they are. */
export function copyBack({ queues, clock }: Rig, messages: readonly SimulatedMessage[]): void {
  for (const queued of messages)
    sendNatively(queues.queue(sourceOf(queued, queues.moved)), queued, clock.now())
}

function sourceOf(queued: SimulatedMessage, moved: ReadonlyMap<SimulatedMessage, string>): string {
  const { source } = carriedBy(queued.message)
  return moved.get(queued) ?? lastSegment(source ?? '')
}

export function carriedBy(message: SimulatedMessage['message']): {
  readonly reason?: string
  readonly source?: string
} {
  return JSON.parse(attributeOf(message, 'lineclear') ?? '{}') as object
}

function describe({ id, message }: SimulatedMessage): string {
  return `${id} (${carriedBy(message).reason ?? 'moved'})`
}
