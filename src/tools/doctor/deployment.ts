/**
 * What is deployed, as far as a reader could see it. Ids are logical names in a template, addresses in Terraform and ARNs in an
 * account, and they are the same wherever one resource refers to another. What is elsewhere keeps its ARN or its expression.
 * Times are seconds.
 */
export interface Deployment {
  /** An account shows all that there is; templates may be one part of several. */
  readonly from: 'templates' | 'account'
  readonly functions: readonly DeployedFunction[]
  readonly mappings: readonly DeployedMapping[]
  readonly queues: readonly DeployedQueue[]
  /** Their ids. */
  readonly topics: readonly string[]
  readonly subscriptions: readonly Subscription[]
  /** Templates do not show any. */
  readonly silentTopics: readonly SilentTopic[]
  /** The framework's: one for each environment that is here. */
  readonly tables: readonly DeployedTable[]
  readonly roles: readonly Role[]
  /** Ids of the functions that a schedule calls. An account's are not read. */
  readonly schedules: readonly string[]
  /** What puts events on queues, besides topics. An account's are not read. */
  readonly eventSources: readonly EventSource[]
  /** What delivers events of a Custom Event Bus. An account's are not read. */
  readonly subscribers: readonly Subscriber[]
  /** What invokes functions with events that come only once. An account's are not read. */
  readonly invokers: readonly Invoker[]
  /** An account's are not read. */
  readonly buckets: readonly DeployedBucket[]
  readonly alarms: readonly Alarm[]
  /** Names that an account has once in a Region. */
  readonly names: readonly OwnName[]
  /** What the reader could not read. Rules that need it are not checked, and say so. */
  readonly unchecked: readonly UncheckedPart[]
  /** Resources that no rule has looked at, although they may belong to a consumer. */
  readonly unread: readonly UnreadResource[]
}

export type DeploymentPart =
  | 'functions'
  | 'mappings'
  | 'queues'
  | 'topics'
  | 'table'
  | 'roles'
  | 'alarms'
  | 'recursion'
  | 'recovery'
  | 'events'

export interface UncheckedPart {
  readonly part: DeploymentPart
  readonly why: string
  /** How to make it readable. */
  readonly cure?: string
}

export interface UnreadResource {
  readonly subject: string
  readonly why: string
  readonly cure: string
}

/** A number; undefined: it is known only when it is deployed (a parameter without a value, an unknown value of a plan). */
type Setting = number | undefined

export interface DeployedFunction {
  readonly id: string
  readonly timeout: Setting
  /** Such as `nodejs22.x`; absent for a container image. */
  readonly runtime?: string
  readonly region?: string
  readonly role?: string
  readonly recursiveLoop: 'Allow' | 'Terminate'
  /** Where an event goes that Lambda has tried three times. An account's is not read. */
  readonly onFailure?: string
  /** It runs on a capacity provider of Lambda Managed Instances. `concurrency`: invocations at once in one process. */
  readonly instances?: { readonly concurrency: Setting | 'default' }
  readonly durable?: true
  readonly vpc?: true
  readonly tenantIsolation?: true
  readonly marks: FunctionMarks
}

/** What of a function tells whether it uses Lineclear, and which table. */
export interface FunctionMarks {
  /** It has a tag `lineclear:…`. */
  readonly tagged?: true
  /** The id or the text that `LINECLEAR_TABLE` is set to. */
  readonly table?: string
  /** Ids and texts that its other variables are set to. */
  readonly variables: readonly string[]
  /** There may be more variables and tags, which are known only when it is deployed. */
  readonly unread?: true
}

/** A target of a rule of EventBridge, or a notification of a bucket. */
export interface EventSource {
  /** Id of the rule or the bucket. */
  readonly id: string
  readonly service: 'events.amazonaws.com' | 's3.amazonaws.com'
  readonly queue: string
  readonly deadLetter?: string
}

/** A subscriber of a Custom Event Bus. */
export interface Subscriber {
  readonly id: string
  /** Id of the queue or the function. */
  readonly queue: string
  readonly deadLetter?: string
  /** Whether what it delivers says which event it is: with its metadata, or in the attribute `uniquerequestid`. */
  readonly identity: 'delivered' | 'left out'
  /** undefined: it is known only when it is deployed. */
  readonly batch: 'one event' | 'several' | undefined
}

/** A rule, a schedule, a topic or a bucket that invokes a function asynchronously. */
export interface Invoker {
  readonly id: string
  readonly function: string
}

export interface DeployedBucket {
  readonly id: string
  /** Objects that begin with the prefix are deleted after so many days. */
  readonly expirations: readonly { readonly prefix: string; readonly days: number }[]
}

export interface DeployedMapping {
  readonly id: string
  readonly function: string
  readonly queue: string
  /** For how many seconds a batch is collected. */
  readonly window: Setting
  readonly itemFailures: 'reported' | 'ignored'
  /** `limited`: by a maximum concurrency, or by provisioned pollers. */
  readonly scaling: 'limited' | 'open'
  /** undefined: it is known only when it is deployed. */
  readonly state: 'enabled' | 'disabled' | undefined
  /** Filter patterns, as JSON texts. */
  readonly filters: readonly string[]
  /** The id or the text of its tag `lineclear:table`. */
  readonly table?: string
}

export interface DeployedQueue {
  readonly id: string
  readonly kind: 'standard' | 'fifo'
  readonly region?: string
  readonly visibilityTimeout: Setting
  /** `MaximumMessageSize`, bytes. `default`: 1 MiB for a new queue, what it was for an older one. */
  readonly largestMessage: Setting | 'default'
  readonly retention: Setting
  readonly deadLetter?: { readonly queue: string; readonly maxReceiveCount: Setting }
  readonly redriveAllow?: RedriveAllow
  readonly encryption: 'sqs' | 'kms' | 'aws managed kms' | 'none'
  readonly policy: readonly PolicyStatement[]
  /** The resources that set its policy. */
  readonly policies: readonly string[]
}

export interface RedriveAllow {
  readonly permission: 'allowAll' | 'denyAll' | 'byQueue'
  readonly sources: readonly string[]
}

export interface Subscription {
  readonly id: string
  readonly topic: string
  readonly queue: string
  /** undefined: it is known only when it is deployed. */
  readonly delivery: 'raw' | 'wrapped' | undefined
  readonly deadLetter?: string
  /** What a notification has to match to be delivered. */
  readonly filter?: {
    /** undefined: it is known only when it is deployed. */
    readonly scope: 'MessageAttributes' | 'MessageBody' | undefined
    readonly policy: unknown
  }
}

/** The policy of a queue lets the topic in, and SNS says that it delivers nothing there. */
export interface SilentTopic {
  readonly id: string
  /** The queue whose subscription is not confirmed; undefined: the topic has no subscription to a queue that was given. */
  readonly pending: string | undefined
}

export interface DeployedTable {
  readonly id: string
  readonly region?: string
  readonly keys: readonly string[]
  readonly billing: 'on demand' | 'provisioned'
  /** The attribute that DynamoDB deletes by. */
  readonly timeToLive?: string
  readonly recovery: 'on' | 'off'
  readonly deletion: 'protected' | 'open'
  /** Regions that have a copy of the table, including its own. Empty: it is not a global table. */
  readonly regions: readonly string[]
  /** The consistency of a global table. */
  readonly consistency: 'eventual' | 'strong'
  readonly indexes: readonly TableIndex[]
}

export interface TableIndex {
  readonly name: string
  readonly keys: readonly string[]
  /** Beside its keys; undefined: all. */
  readonly attributes: readonly string[] | undefined
}

export interface Role {
  readonly id: string
  readonly statements: readonly PolicyStatement[]
  /** Its policies whose statements are elsewhere, or known only when they are deployed. */
  readonly unread: readonly string[]
}

/** A statement of a policy. `resources` are ids, `<id>/index/<name>` for an index, `<id>/<key>` for objects of a bucket. */
export interface PolicyStatement {
  readonly effect: 'Allow' | 'Deny'
  readonly actions: readonly string[]
  readonly resources: readonly string[]
  readonly principals: readonly string[]
  /** Ids and ARNs that `aws:SourceArn` is compared with. */
  readonly sourceArns: readonly string[]
  readonly isConditional: boolean
  /** The statement is part of an execution role's policy of AWS, which names no resources. */
  readonly author?: 'aws'
}

/** What its template calls a resource: a text in which `${…}` is known only when it is deployed. */
export interface OwnName {
  readonly id: string
  readonly type: string
  readonly name: string
}

export interface Alarm {
  readonly id: string
  readonly metric: string
  /** Ids of the resources that the dimensions name. */
  readonly of: readonly string[]
  /** Its metric with namespace and dimensions; undefined: a dimension is of a resource here, or known only when it is deployed. */
  readonly watches?: string
  readonly missingData: string
  /** It goes off when a single value of the metric is above it; absent: it compares otherwise, or is known only when deployed. */
  readonly above?: number
  /** How many actions follow when the alarm goes off. */
  readonly actions: number
}
