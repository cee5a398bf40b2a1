import type {
  DeployedFunction,
  Deployment,
  DeployedMapping,
  DeployedQueue,
  Role,
} from '../deployment.ts'

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

/** Functions that consume a queue, each once. */
export function mappedFunctions(deployment: Deployment): readonly DeployedFunction[] {
  return [...new Set(mappedQueues(deployment).map((each) => each.function))]
}

/** The role of a function, if it is in the same deployment. */
export function roleOf({ roles }: Deployment, { role }: DeployedFunction): Role | undefined {
  return roles.find(({ id }) => id === role)
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

/** A pattern, or an expression that has a value only after the deployment, may name it. */
export function isPerhaps(arn: string, id: string): boolean {
  return arn === id || /[*?{]/.test(arn)
}

/** A container image, a custom runtime and a parameter may be Node.js. */
export function mayRunLineclear(runtime: string | undefined): boolean {
  return runtime === undefined || /^(nodejs|provided)|\$\{/.test(runtime)
}
