import type { MappingClient } from '../operator/pause/findMappings.ts'
import {
  loadLambdaReader,
  type MissingClient,
  type LambdaReader,
} from '../doctor/account/clients.ts'
import { OPERATOR_TIMES } from '../operator/aws/queues.ts'
import type { LocalEndpoints } from './readLocal.ts'
import type { CliProcess } from './process.ts'

export interface Shared {
  readonly region?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** @param local undefined: the account */
export async function lambdaReader(
  { lambda }: Pick<CliProcess, 'lambda'>,
  shared: Shared,
  local: LocalEndpoints | undefined,
): Promise<LambdaReader | MissingClient> {
  if (lambda !== undefined) return lambda
  return local === undefined
    ? loadLambdaReader({ requestHandler: OPERATOR_TIMES, ...shared })
    : NO_LAMBDA
}

/** @param local undefined: the account */
export async function mappingClient(
  { mappings }: Pick<CliProcess, 'mappings'>,
  shared: Shared,
  local: LocalEndpoints | undefined,
): Promise<MappingClient | MissingClient> {
  if (mappings !== undefined) return mappings
  const endpoint = local?.lambda
  if (local !== undefined && endpoint === undefined) return NO_MAPPINGS
  const at = endpoint === undefined ? {} : { endpoint }
  return loadLambdaReader({ requestHandler: OPERATOR_TIMES, ...shared, ...at })
}

const NO_LAMBDA = { why: 'the local cloud has no Lambda', cure: 'Give --template' }
const NO_MAPPINGS = {
  why: 'the local cloud has no Lambda: its functions are polled by the process that started it',
  cure: 'Stop that process instead; messages wait on their queues',
}
