import type {
  DeployedFunction,
  DeployedMapping,
  DeploymentPart,
  DeployedQueue,
  UncheckedPart,
} from '../deployment.ts'
import { type LambdaReader, type MappingDescription, regionOf, isAccessDenied } from './clients.ts'
import { computeTypeOf } from '../template/readFunctions.ts'

export interface Consumers {
  readonly functions: readonly DeployedFunction[]
  readonly mappings: readonly DeployedMapping[]
  /** The parts that these credentials may not read. */
  readonly unseen: readonly UncheckedPart[]
}

/** The mappings of these queues, and the functions that they call. */
export async function describeFunctions(
  lambda: LambdaReader,
  queues: readonly DeployedQueue[],
): Promise<Consumers> {
  const mappings = await unlessDenied(() => listAll(lambda, queues))
  if (mappings === 'refused') {
    const parts: readonly DeploymentPart[] = ['mappings', 'functions', 'recursion']
    return { mappings: [], functions: [], unseen: uncheckedParts(parts, 'ListEventSourceMappings') }
  }
  const ids = [...new Set(mappings.map((mapping) => mapping.function))]
  const [configured, loops] = await Promise.all([
    unlessDenied(() => Promise.all(ids.map((id) => describe(lambda, id)))),
    unlessDenied(() => Promise.all(ids.map((id) => loopOf(lambda, id)))),
  ])
  const functions = configured === 'refused' ? [] : configured
  return {
    mappings,
    functions: functions.map((found, at) => ({
      ...found,
      recursiveLoop: loops === 'refused' ? 'Terminate' : (loops[at] ?? 'Terminate'),
    })),
    unseen: [
      ...(configured === 'refused'
        ? uncheckedParts(['functions'], 'GetFunctionConfiguration')
        : []),
      ...(loops === 'refused' ? uncheckedParts(['recursion'], 'GetFunctionRecursionConfig') : []),
    ],
  }
}

async function unlessDenied<T>(look: () => Promise<T>): Promise<T | 'refused'> {
  try {
    return await look()
  } catch (error) {
    if (isAccessDenied(error)) return 'refused'
    throw error
  }
}

function uncheckedParts(
  parts: readonly DeploymentPart[],
  action: string,
): readonly UncheckedPart[] {
  return parts.map((part) => ({
    part,
    why: `lambda:${action} is not allowed`,
    cure: `Allow lambda:${action}, or give --template`,
  }))
}

async function listAll(
  lambda: LambdaReader,
  queues: readonly DeployedQueue[],
): Promise<DeployedMapping[]> {
  return (await Promise.all(queues.map(({ id }) => listMappings(lambda, id)))).flat()
}

async function listMappings(lambda: LambdaReader, queue: string): Promise<DeployedMapping[]> {
  const found: DeployedMapping[] = []
  let next: string | undefined
  do {
    const from = next === undefined ? {} : { Marker: next }
    const page = await lambda.listEventSourceMappings({ EventSourceArn: queue, ...from })
    found.push(...(page.EventSourceMappings ?? []).map((mapping) => mappingOf(queue, mapping)))
    next = page.NextMarker
  } while (next !== undefined && next !== '')
  return found
}

function mappingOf(queue: string, mapping: MappingDescription): DeployedMapping {
  const most = mapping.ScalingConfig?.MaximumConcurrency
  const reports = mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures')
  return {
    id: mapping.UUID ?? '',
    function: mapping.FunctionArn ?? '',
    queue,
    batchSize: mapping.BatchSize ?? 10,
    window: mapping.MaximumBatchingWindowInSeconds ?? 0,
    itemFailures: reports === true ? 'reported' : 'ignored',
    state: mapping.State?.startsWith('Disabl') ? 'disabled' : 'enabled',
    pollers: mapping.ProvisionedPollerConfig === undefined ? 'on demand' : 'provisioned',
    filters: (mapping.FilterCriteria?.Filters ?? []).map(({ Pattern = '' }) => Pattern),
    ...(most === undefined ? {} : { maximumConcurrency: most }),
  }
}

async function describe(
  lambda: LambdaReader,
  id: string,
): Promise<Omit<DeployedFunction, 'recursiveLoop'>> {
  const described = await lambda.getFunctionConfiguration({ FunctionName: id })
  const { Timeout = 3, Role, Runtime } = described
  return {
    id,
    timeout: Timeout,
    region: regionOf(id),
    ...(Runtime === undefined ? {} : { runtime: Runtime }),
    ...(Role === undefined ? {} : { role: Role }),
    ...computeTypeOf({ ...described }),
  }
}

/** The setting belongs to a function, not to its versions and aliases: AWS refuses an ARN with one of them. */
async function loopOf(
  lambda: LambdaReader,
  arn: string,
): Promise<DeployedFunction['recursiveLoop']> {
  const FunctionName = arn.split(':').slice(0, FUNCTION_PARTS).join(':')
  const { RecursiveLoop } = await lambda.getFunctionRecursionConfig({ FunctionName })
  return RecursiveLoop === 'Allow' ? 'Allow' : 'Terminate'
}

/** `arn:aws:lambda:region:account:function:name`. */
const FUNCTION_PARTS = 7
