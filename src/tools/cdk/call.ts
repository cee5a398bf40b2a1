import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import type { IGrantable, IPrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { type AlarmProps, ofFunction, watch } from './alarms.ts'
import { functionOf, type LineclearFunctionProps } from './functionOf.ts'
import { keysOfNames } from './permissions.ts'
import type { ILineclearTable } from './tableGrants.ts'

/** Properties of {@link LineclearCall}. */
export interface LineclearCallProps extends LineclearFunctionProps, AlarmProps {
  readonly table: ILineclearTable
  /** The names of its handlers, whose keys it may touch. Default: the id of the construct. */
  readonly keyNames?: readonly string[]
}

/**
 * A function that is called, by an API or another function: one of `idempotent`, `invocationHandler` or `lockTokens`, with its
 * role, the items of its own keys, and alarms of errors, throttles and duration.
 * @throws ConfigError when a property is wrong.
 * @example new LineclearCall(stack, 'refunds', { table, entry: 'examples/cdk/refunds.ts' })
 */
export class LineclearCall extends Construct implements IGrantable {
  readonly function: IFunction
  /** Its alarms, by id: `ErrorsAlarm`, `ThrottlesAlarm`, `DurationAlarm`. */
  readonly alarms: Readonly<Record<string, Alarm>>
  readonly grantPrincipal: IPrincipal

  constructor(scope: Construct, id: string, props: LineclearCallProps) {
    super(scope, id)
    const { table, keyNames = [id] } = props
    const made = functionOf(this, props, { LINECLEAR_TABLE: table.tableName })
    this.function = made.function
    this.grantPrincipal = made.function.grantPrincipal
    table.grantConsumer(this, keysOfNames(keyNames))
    this.alarms = watch(this, props, ofFunction(made))
  }
}
