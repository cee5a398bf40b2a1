import { Duration } from 'aws-cdk-lib'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  ApplicationLogLevel,
  Architecture,
  type Function as LambdaFunction,
  type IFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda'
import {
  type BundlingOptions,
  NodejsFunction,
  type NodejsFunctionProps,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { refuseConstruct } from './queueChecks.ts'

/** The function of a consumer, a stage or the sweeper. */
export interface LineclearFunctionProps {
  /** File of the handler, such as `examples/cdk/orders.ts`: it becomes a `NodejsFunction`, which needs `esbuild`. Not beside `function`. */
  readonly entry?: string
  /** Name that the file exports. Default `handler`; in a flow the name of the stage. */
  readonly handler?: string
  /**
   * A function that you have made, or an alias or version of one, in place of `entry`. It gets the permissions and the tags;
   * memory, log and environment are yours.
   */
  readonly function?: IFunction
  /**
   * Timeout of the function. The visibility timeout of the queue is six times that. Default 30 seconds, or that of `function`;
   * needed when `function` is imported.
   */
  readonly timeout?: Duration
  /** Environment of the function. `LINECLEAR_TABLE` is set. Default: nothing more. */
  readonly environment?: Readonly<Record<string, string>>
  /** Any other property of the `NodejsFunction`, such as `memorySize`, `vpc` or `bundling`. Default: none. */
  readonly functionProps?: Omit<NodejsFunctionProps, 'entry' | 'handler' | 'timeout' | 'code'>
  /** Runs it on Lambda Managed Instances, with 2 GB of memory. Cannot be changed later. Not beside `function`. Default: it does not. */
  readonly managed?: ManagedInstances
}

/** Where a function runs on Lambda Managed Instances. */
export interface ManagedInstances {
  /** A `CapacityProvider`; its subnets have to reach DynamoDB, SQS and what the handler calls. */
  readonly capacityProvider: {
    addFunction(
      made: IFunction,
      options: { readonly perExecutionEnvironmentMaxConcurrency: number },
    ): void
  }
  /** Invocations at once in one environment: they share its memory, and what the handler keeps outside its function. */
  readonly concurrency: number
}

export interface MadeFunction {
  readonly function: IFunction
  readonly timeout: Duration
}

/** Properties with which a function is made. */
export const OF_NEW_FUNCTION = ['entry', 'handler', 'functionProps', 'managed'] as const

const DEFAULT_TIMEOUT = Duration.seconds(30)

export function functionOf(
  scope: Construct,
  props: LineclearFunctionProps,
  environment: Readonly<Record<string, string>>,
): MadeFunction {
  const { entry, function: given, timeout = DEFAULT_TIMEOUT } = props
  if (given !== undefined) return givenFunction(scope, props, given, environment)
  if (entry === undefined) {
    refuseConstruct(
      scope,
      "entry: expected the file of its handler, such as 'examples/cdk/orders.ts', or function; got neither",
    )
  }
  const longest = props.managed === undefined ? LONGEST : LONGEST_MANAGED
  if (timeout.toSeconds() > longest) {
    refuseConstruct(scope, `timeout: expected ${longest} s or less; got ${timeout.toSeconds()} s`)
  }
  const made = madeFunction(scope, { ...props, entry, timeout }, environment)
  const { capacityProvider, concurrency = 1 } = props.managed ?? {}
  capacityProvider?.addFunction(made, { perExecutionEnvironmentMaxConcurrency: concurrency })
  return { function: made, timeout }
}

/** Seconds. */
const [LONGEST, LONGEST_MANAGED] = [900, 5_400] as const

function givenFunction(
  scope: Construct,
  props: LineclearFunctionProps,
  given: IFunction,
  environment: Readonly<Record<string, string>>,
): MadeFunction {
  for (const name of OF_NEW_FUNCTION) {
    if (props[name] !== undefined) {
      refuseConstruct(
        scope,
        `${name}: expected nothing beside function; got a value: leave one of the two out`,
      )
    }
  }
  const own = ownFunction(given)
  const timeout = own === undefined ? props.timeout : (own.timeout ?? Duration.seconds(3))
  if (timeout === undefined) {
    refuseConstruct(
      scope,
      'timeout: expected the timeout of its function, which is imported; got nothing',
    )
  }
  if (props.timeout !== undefined && props.timeout.toSeconds() !== timeout.toSeconds()) {
    refuseConstruct(
      scope,
      `timeout: expected nothing, or that of its function, ${timeout.toSeconds()} s; got ${props.timeout.toSeconds()} s`,
    )
  }
  addEnvironment(given, { ...environment, ...props.environment })
  return { function: given, timeout }
}

/** An imported function takes none. */
export function addEnvironment(
  given: IFunction,
  environment: Readonly<Record<string, string>>,
): void {
  const own = ownFunction(given)
  for (const [name, value] of Object.entries(environment)) own?.addEnvironment(name, value)
}

/** The function behind an alias or a version; nothing when it is imported. */
function ownFunction(given: IFunction): LambdaFunction | undefined {
  if ('lambda' in given) return ownFunction(given.lambda as IFunction)
  return 'addEnvironment' in given ? (given as LambdaFunction) : undefined
}

type Made = LineclearFunctionProps & { readonly entry: string; readonly timeout: Duration }

function madeFunction(
  scope: Construct,
  { entry, timeout, handler = 'handler', environment: more, functionProps = {}, managed }: Made,
  environment: Readonly<Record<string, string>>,
): NodejsFunction {
  const logGroup = new LogGroup(scope, 'Logs', { retention: RetentionDays.ONE_MONTH })
  return new NodejsFunction(scope, 'Function', {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: managed === undefined ? 512 : 2_048,
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    systemLogLevelV2: SystemLogLevel.WARN,
    logGroup,
    ...(functionProps.role === undefined ? { role: roleOf(scope, logGroup, functionProps) } : {}),
    ...functionProps,
    entry,
    handler,
    timeout,
    environment: {
      ...environment,
      ...functionProps.environment,
      ...more,
    },
    bundling: { ...BUNDLING, ...functionProps.bundling },
  })
}

/** With the SDK: the one in the runtime changes under you. */
const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  target: 'node24',
  minify: true,
  sourceMap: true,
  sourcesContent: false,
  mainFields: ['module', 'main'],
  bundleAwsSDK: true,
  // CommonJS packages in an ES module.
  banner:
    "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
}

/** The role that CDK would make may write to every log group of the account. */
function roleOf(scope: Construct, logs: LogGroup, { vpc }: Pick<NodejsFunctionProps, 'vpc'>): Role {
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  logs.grantWrite(role)
  if (vpc !== undefined) {
    role.addManagedPolicy(
      ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaVPCAccessExecutionRole'),
    )
  }
  return role
}
