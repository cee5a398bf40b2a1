import type { DeployedFunction, Deployment, DeployedMapping, DeployedQueue } from '../deployment.ts'
import { LAMBDA_PAGES, type DeliveryRule, type Violation } from '../rule.ts'

interface MappedQueue {
  readonly mapping: DeployedMapping
  readonly queue: DeployedQueue
  readonly function: DeployedFunction
}

/** Each mapping with both of its ends, as far as they are in the same deployment. */
export function mappedQueues({ mappings, queues, functions }: Deployment): MappedQueue[] {
  return mappings.flatMap((mapping) => {
    const queue = queues.find(({ id }) => id === mapping.queue)
    const found = functions.find(({ id }) => id === mapping.function)
    return queue === undefined || found === undefined ? [] : [{ mapping, queue, function: found }]
  })
}

/** The queues that functions consume; if mappings are unchecked, all queues that are not dead-letter queues. */
export function sources({ mappings, queues, unchecked }: Deployment): DeployedQueue[] {
  if (!unchecked.some(({ part }) => part === 'mappings')) {
    return queues.filter(({ id }) => mappings.some(({ queue }) => queue === id))
  }
  return queues.filter(({ id }) => !queues.some(({ deadLetter }) => deadLetter?.queue === id))
}

/** Sources with the queue that their dead letters go to, where both are in the same deployment. */
export function redrivePairs(deployment: Deployment): readonly {
  readonly source: DeployedQueue
  readonly target: DeployedQueue
}[] {
  return sources(deployment).flatMap((source) => {
    const target = deployment.queues.find(({ id }) => id === source.deadLetter?.queue)
    if (target === undefined || source.deadLetter === undefined) return []
    return [{ source, target }]
  })
}

/** Whether a statement of a queue's policy is about sending. */
export function sends({ actions }: { readonly actions: readonly string[] }): boolean {
  return actions.some((action) => /^(?:sqs:(?:sendmessage|\*)|\*)$/i.test(action))
}

/** A pattern, or an expression that has a value only after the deployment, may name it. */
export function isPerhaps(arn: string, id: string): boolean {
  return arn === id || /[*?{]/.test(arn)
}

/** Of Lineclear's `engines`. */
const LEAST_NODE = 22
const SOURCE = `${LAMBDA_PAGES}/lambda-runtimes.html`

/** The major version; undefined: it is not a runtime of Node.js, or the function is a container image. */
function nodeVersion(runtime: string | undefined): number | undefined {
  const [, version] = /^nodejs(\d+)\.x$/.exec(runtime ?? '') ?? []
  // Without a number: 0.10.
  if (version === undefined) return runtime?.startsWith('nodejs') === true ? 0 : undefined
  return Number(version)
}

/** A container image, a custom runtime and a parameter may be Node.js. */
export function mayRunLineclear(runtime: string | undefined): boolean {
  return runtime === undefined || /^(nodejs|provided)|\$\{/.test(runtime)
}

const old: DeliveryRule = {
  id: 'runtime',
  severity: 'error',
  needs: ['mappings', 'functions'],
  source: SOURCE,
  check: (deployment) => {
    const consumers = new Map(
      mappedQueues(deployment).map(({ function: each }) => [each.id, each.runtime]),
    )
    return [...consumers].flatMap(([id, runtime]) => wrongRuntime(id, runtime))
  },
}

function wrongRuntime(id: string, runtime: string | undefined): Violation[] {
  if (!mayRunLineclear(runtime)) {
    return [
      {
        subject: id,
        severity: 'note',
        problem: `Its runtime is ${runtime}, not Node.js.`,
        consequence:
          'It is no consumer of Lineclear: what it may do with the table is not checked.',
        cure: 'None is needed; a consumer of Lineclear runs on nodejs24.x, or nodejs22.x until April 2027.',
      },
    ]
  }
  const version = nodeVersion(runtime)
  if (version === undefined || version >= LEAST_NODE) return []
  return [
    {
      subject: id,
      problem: `Its runtime is ${runtime}, which AWS has deprecated.`,
      consequence: `Lineclear needs Node.js ${LEAST_NODE}: the function does not start, and all its records become dead letters.`,
      cure: 'Set Runtime: nodejs24.x (nodejs22.x ends in April 2027).',
    },
  ]
}

export const RUNTIME_RULES: readonly DeliveryRule[] = [old]
