/** One of `custom.consumers` in serverless.yml. */
export interface Consumer {
  readonly name: string
  /** The timeout of its function, in seconds: the visibility timeout of its queue is six times that. */
  readonly timeout: number
  /** Its handler has the option `circuitBreaker`: records that wait on the queue are received now and then. */
  readonly circuitBreaker?: true
  /** The dimensions of its metrics: `flow` and `stage`. Default: `consumer`, and its name. */
  readonly reportsAs?: Readonly<Record<string, string>>
  /** The actions that its handler takes on its own tables, by logical name. */
  readonly tables?: Readonly<Record<string, readonly string[]>>
  /** Logical names of the queues that it sends to besides its own. */
  readonly sends?: readonly string[]
  /** Logical name of the bucket of its large payloads. */
  readonly payloads?: string
  /** Its handler has the option `delays: storedDelays()`. */
  readonly delays?: true
  /** Its function sends spans to X-Ray. */
  readonly traced?: true
  /** Logical name of the topic that it publishes to. */
  readonly publishes?: string
  /** Logical name of the topic that its queue is subscribed to. */
  readonly topic?: string
  /** Logical name of the rule of EventBridge that has its queue as target. */
  readonly rule?: string
  /** Name of the bucket that notifies its queue, as `Fn::Sub` reads it. */
  readonly bucket?: string
}

export function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

export function arnOf(id: string): unknown {
  return { 'Fn::GetAtt': [id, 'Arn'] }
}

/** By name: a queue and its dead-letter queue name each other, which CloudFormation would refuse as a circular reference. */
export function queueArn(name: string): unknown {
  return {
    'Fn::Sub': `arn:\${AWS::Partition}:sqs:\${AWS::Region}:\${AWS::AccountId}:${queueName(name)}`,
  }
}

export function queueName(name: string): string {
  return `lineclear-${name}`
}
