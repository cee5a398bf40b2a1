import type { DeployedFunction, Mapping, Queue } from '../deployment.ts'
import type { LambdaReader, MappingDescription } from './clients.ts'

export interface Consumers {
  readonly functions: readonly DeployedFunction[]
  readonly mappings: readonly Mapping[]
}

/** The mappings of these queues, and the functions that they call. */
export async function describeFunctions(
  lambda: LambdaReader,
  queues: readonly Queue[],
): Promise<Consumers> {
  const mappings = (await Promise.all(queues.map(({ id }) => listMappings(lambda, id)))).flat()
  const names = [...new Set(mappings.map((mapping) => mapping.function))]
  return { mappings, functions: await Promise.all(names.map((name) => describe(lambda, name))) }
}

async function listMappings(lambda: LambdaReader, queue: string): Promise<Mapping[]> {
  const found: Mapping[] = []
  let next: string | undefined
  do {
    const from = next === undefined ? {} : { Marker: next }
    const page = await lambda.listEventSourceMappings({ EventSourceArn: queue, ...from })
    found.push(...(page.EventSourceMappings ?? []).map((mapping) => mappingOf(queue, mapping)))
    next = page.NextMarker
  } while (next !== undefined && next !== '')
  return found
}

function mappingOf(queue: string, mapping: MappingDescription): Mapping {
  const most = mapping.ScalingConfig?.MaximumConcurrency
  const reports = mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures')
  return {
    id: mapping.UUID ?? '',
    function: mapping.FunctionArn ?? '',
    queue,
    batchSize: mapping.BatchSize ?? 10,
    window: mapping.MaximumBatchingWindowInSeconds ?? 0,
    itemFailures: reports === true ? 'reported' : 'ignored',
    pollers: mapping.ProvisionedPollerConfig === undefined ? 'on demand' : 'provisioned',
    filters: (mapping.FilterCriteria?.Filters ?? []).map(({ Pattern = '' }) => Pattern),
    ...(most === undefined ? {} : { maximumConcurrency: most }),
  }
}

async function describe(lambda: LambdaReader, FunctionName: string): Promise<DeployedFunction> {
  const [{ Timeout = 3, Role }, recursion] = await Promise.all([
    lambda.getFunctionConfiguration({ FunctionName }),
    lambda.getFunctionRecursionConfig?.({ FunctionName }),
  ])
  return {
    id: FunctionName,
    timeout: Timeout,
    recursiveLoop: recursion?.RecursiveLoop === 'Allow' ? 'Allow' : 'Terminate',
    ...(Role === undefined ? {} : { role: Role }),
  }
}
