import { redriveDeadLetters } from '../../../src/ops/operator/dlq/index.ts'
import { deadLettersOf, nameIn } from '../../../src/testing/queues/arns.ts'
import { attributeOf, type Letter } from '../../../src/testing/queues/sqs.ts'
import { sendNatively } from './post.ts'
import type { World } from './world.ts'

/** `ours`: lineclear dlq redrive. `native`: StartMessageMoveTask, to the queue that each came from. */
export type Way = 'ours' | 'native'

/** Sends all dead letters back. */
export async function redrive(world: World, way: Way): Promise<void> {
  const { office, clock, trace } = world
  for (const [name, queue] of office.all()) {
    if (name !== deadLettersOf(name) || queue.letters.length === 0) continue
    trace.push(`redrive (${way}): ${queue.letters.map(describe).join(' ')}`)
    if (way === 'ours') {
      const { moved } = await redriveDeadLetters({
        queue: name,
        sqs: office.sqs,
        clock,
        mode: 'apply',
      })
      if (moved === 0) throw new Error('nothing was redriven')
      continue
    }
    copyBack(world, queue.letters)
    queue.letters = []
  }
}

/** The letters once more, as new messages; they stay where they are. */
export function copyBack({ office, clock }: World, letters: readonly Letter[]): void {
  for (const letter of letters)
    sendNatively(office.queue(sourceOf(letter, office.moved)), letter, clock.now())
}

function sourceOf(letter: Letter, moved: ReadonlyMap<Letter, string>): string {
  const { source } = carriedBy(letter.message)
  return moved.get(letter) ?? nameIn(source ?? '')
}

export function carriedBy(message: Letter['message']): {
  readonly reason?: string
  readonly source?: string
} {
  return JSON.parse(attributeOf(message, 'lineclear') ?? '{}') as object
}

function describe({ id, message }: Letter): string {
  return `${id} (${carriedBy(message).reason ?? 'moved'})`
}
