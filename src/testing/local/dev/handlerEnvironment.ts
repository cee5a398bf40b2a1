import { environmentOf } from '../sdk/clients.ts'
import type { Environment } from './definition.ts'

/** The AWS variables that say neither who calls nor where. */
const HARMLESS = /^AWS_(?:LAMBDA_|ENDPOINT_URL|NODEJS_|XRAY_)/i

/**
 * The environment of handlers on a local cloud: a call that they make past it must not reach the developer's account, by
 * whatever the SDK would find there (keys, a profile, a web identity, a container, the metadata of an instance).
 */
export function handlerEnvironment(own: NodeJS.ProcessEnv): Environment {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value === undefined || (/^AWS_/i.test(name) && !HARMLESS.test(name)) ? [] : [[name, value]],
  )
  return {
    ...(Object.fromEntries(kept) as Environment),
    ...environmentOf({}),
    AWS_EC2_METADATA_DISABLED: 'true',
  }
}
