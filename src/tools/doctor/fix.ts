import type {
  DeployedFunction,
  DeployedMapping,
  DeployedQueue,
  DeployedTable,
  Subscription,
} from './deployment.ts'

/** What removes a finding, in the words of the deployment. A writer turns it into lines of a template's own language. */
export type Fix =
  | Change<'queue', DeployedQueue>
  | Change<'mapping', DeployedMapping>
  | Change<'function', DeployedFunction>
  | Change<'subscription', Subscription>
  | Change<'table', DeployedTable>
  | NewQueue
  | NewAlarm
  | { readonly add: 'table'; readonly id: string; readonly to: Omit<DeployedTable, 'id'> }
  | {
      readonly add: 'statement'
      /** The role that gets it. */
      readonly id: string
      readonly allowed: readonly {
        readonly actions: readonly string[]
        readonly resource: string
      }[]
    }
  | {
      readonly add: 'queue policy'
      readonly id: string
      readonly service: string
      readonly source: string
    }

interface Change<Kind extends string, Resource> {
  readonly change: Kind
  readonly id: string
  readonly to: Partial<Resource>
}

interface NewQueue {
  readonly add: 'queue'
  readonly id: string
  readonly kind: DeployedQueue['kind']
  /** The queue whose dead letters it takes; absent for those of a subscription. */
  readonly source?: string
}

interface NewAlarm {
  readonly add: 'alarm'
  readonly of: 'queue' | 'function'
  readonly id: string
  readonly metric: string
  /** It goes off above. */
  readonly threshold: number
}

/** The name of a resource that a fix adds for another one. Addresses of Terraform and ARNs end with the name. */
export function nameFor(id: string, what: string): string {
  const name = id.split(/[.:/]/).at(-1) ?? id
  const base = name.replaceAll(/\[.*\]|[^A-Za-z0-9_]/g, '')
  return `${base}${what}`
}
