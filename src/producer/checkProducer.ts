import { ConfigError } from '../errors.ts'
import { kindOf } from '../kindOf.ts'

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isClient = (value: unknown): boolean => isObject(value) && 'send' in value

const OPTIONS: Readonly<Record<string, readonly [string, (value: unknown) => boolean]>> = {
  schema: [
    'a Standard Schema',
    (value) => (isObject(value) || isFunction(value)) && '~standard' in Object(value),
  ],
  id: ['a function, such as (payload) => payload.orderId', isFunction],
  sentAt: ['a function, such as (payload) => payload.changedAt', isFunction],
  sqs: ['an SQSClient', isClient],
  sns: ['an SNSClient', isClient],
  clock: ['a clock', (value) => isObject(value) && 'now' in value],
}

/** @throws ConfigError naming the option, what was expected and what came */
export function checkProducer(options: unknown): void {
  if (!isObject(options))
    throw new ConfigError(`producer: expected an object; got ${kindOf(options)}`)
  for (const [name, value] of Object.entries(options)) {
    const known = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
    if (known === undefined) {
      throw new ConfigError(
        `producer: ${JSON.stringify(name.slice(0, 80))} is no option: expected ${Object.keys(OPTIONS).join(', ')}`,
      )
    }
    const [expected, isRight] = known
    if (value !== undefined && !isRight(value)) {
      throw new ConfigError(`producer: ${name}: expected ${expected}; got ${kindOf(value)}`)
    }
  }
}
