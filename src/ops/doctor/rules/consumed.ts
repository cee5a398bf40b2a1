import type { DeployedFunction, Deployment, Mapping, Queue } from '../deployment.ts'

export interface Consumed {
  readonly mapping: Mapping
  readonly queue: Queue
  readonly function: DeployedFunction
}

/** Each mapping with both of its ends, as far as they are in the same deployment. */
export function consumed({ mappings, queues, functions }: Deployment): Consumed[] {
  return mappings.flatMap((mapping) => {
    const queue = queues.find(({ id }) => id === mapping.queue)
    const found = functions.find(({ id }) => id === mapping.function)
    return queue === undefined || found === undefined ? [] : [{ mapping, queue, function: found }]
  })
}

/** The queues that functions consume; when no mapping could be seen, all that are no dead-letter queues. */
export function sources({ mappings, queues, unseen }: Deployment): Queue[] {
  if (!unseen.some(({ part }) => part === 'mappings')) {
    return queues.filter(({ id }) => mappings.some(({ queue }) => queue === id))
  }
  return queues.filter(({ id }) => !queues.some(({ deadLetter }) => deadLetter?.queue === id))
}

/** Sources with the queue that their dead letters go to, where both are in the same deployment. */
export function redrives(
  deployment: Deployment,
): readonly { readonly source: Queue; readonly target: Queue; readonly maxReceiveCount: number }[] {
  return sources(deployment).flatMap((source) => {
    const target = deployment.queues.find(({ id }) => id === source.deadLetter?.queue)
    if (target === undefined || source.deadLetter === undefined) return []
    return [{ source, target, maxReceiveCount: source.deadLetter.maxReceiveCount }]
  })
}
