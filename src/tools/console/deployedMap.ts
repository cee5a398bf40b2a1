import { mapOf, type SeenSend, type SystemMap } from '../../testing/local/observe/mapOf.ts'
import type { Cost } from './again.ts'
import type { Deployment, PolicyStatement } from '../doctor/index.ts'

const SENDS = new Set(['sqs:sendmessage', 'sqs:*', 'sns:publish', 'sns:*', '*'])

/** The answer of `GET /api/map` for a deployment that a template describes. */
interface DeployedMap extends SystemMap {
  readonly source: 'template'
  readonly cost: Cost
}

/**
 * Draws a deployment, as a template describes it. Which messages a function sends is not in a template: an arrow stands for what its
 * role allows by name. Nodes have the names of the template.
 */
export function deployedMap(deployment: Deployment): DeployedMap {
  const { queues, topics, subscriptions, mappings } = deployment
  const shape = {
    queues: Object.fromEntries(
      queues.map(({ id, deadLetter }) => [id, deadLetter ? { deadLetter: deadLetter.queue } : {}]),
    ),
    topics: Object.fromEntries(
      topics.map(({ id }) => [
        id,
        { queues: subscriptions.flatMap(({ topic, queue }) => (topic === id ? [queue] : [])) },
      ]),
    ),
    tables: [],
  }
  const readers = mappings.map(({ function: name, queue }) => ({ name, queue, consumers: [] }))
  return {
    ...mapOf(shape, readers, allowedSends(deployment)),
    source: 'template',
    cost: { queries: 0, units: 0, receives: 0 },
  }
}

/** Not to its own queue, where retries go, and not to a dead-letter queue, which has its arrow from the queue. */
function allowedSends({ queues, functions, mappings, roles }: Deployment): readonly SeenSend[] {
  const dead = new Set(queues.flatMap(({ deadLetter }) => deadLetter?.queue ?? []))
  return functions.flatMap(({ id, role }) => {
    const own = mappings.flatMap(({ function: name, queue }) => (name === id ? [queue] : []))
    const statements = roles.find((each) => each.id === role)?.statements ?? []
    return statements
      .filter(isSend)
      .flatMap(({ resources }) => resources)
      .filter((to) => !dead.has(to) && !own.includes(to))
      .map((to) => ({ function: id, to }))
  })
}

function isSend({ effect, actions }: PolicyStatement): boolean {
  return effect === 'Allow' && actions.some((action) => SENDS.has(action.toLowerCase()))
}
