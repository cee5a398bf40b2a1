/**
 * Name of the dead-letter queue of a consumer.
 * @param by as its tokens identify it; undefined: they do not
 * @returns undefined: it cannot be told
 */
export type HomeQueue = (by: string | undefined) => string | undefined

export const NO_HOME: HomeQueue = () => undefined
