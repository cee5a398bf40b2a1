/** Statuses that an attempt or a message should continue by itself. */
export const ACTIVE = ['inProgress', 'dying', 'running', 'awaiting', 'accepted'] as const
/** Statuses that wait for an operator. */
export const NEEDS_OPERATOR = ['error', 'unknown', 'dead'] as const
/** Delayed messages, which the sweeper sends when they are due. */
export const SCHEDULED = ['later'] as const
export type TaskStatus = (typeof ACTIVE | typeof NEEDS_OPERATOR | typeof SCHEDULED)[number]
export const TASK_STATUSES: readonly TaskStatus[] = [...ACTIVE, ...NEEDS_OPERATOR, ...SCHEDULED]

/** Whether an attempt or a message should continue it; otherwise it waits for an operator. */
export function isActive(status: TaskStatus): boolean {
  return ACTIVE.some((each) => each === status)
}
