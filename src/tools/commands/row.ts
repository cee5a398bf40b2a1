import type { Flag, Kind } from './kinds.ts'

interface Value<T> {
  readonly kind: Kind<T>
  /** One line. */
  readonly help: string
  /** Placeholder of the value where the command is explained. Default: the word of its kind. */
  readonly word?: string
  /** A page of the console may give it; a kind: within these limits. Default: it may not. */
  readonly page?: true | Kind<unknown>
}

/** A value that is known by its place. */
export interface Argument<T = unknown> extends Value<T> {
  readonly optional?: true
}

/** A value that is known by its name. */
export interface Option<T = unknown> extends Value<T> {
  /** As it would be typed. */
  readonly default?: string
  readonly required?: true
  /** It may be given several times. */
  readonly many?: true
  /** Only beside this other option. */
  readonly with?: string
  /** It makes another form of the command, which takes these options of the row and no others. */
  readonly takes?: readonly string[]
}

export type Arguments = Readonly<Record<string, Argument>>
export type Options = Readonly<Record<string, Option>>

/** A command: everything that its parser, its help, the completion, the console and the documents say of it. */
export interface Row<A extends Arguments = Arguments, O extends Options = Options> {
  /** @example 'dlq redrive' */
  readonly words: string
  /** One line, without a full stop. */
  readonly summary: string
  /** Further paragraphs for its help. */
  readonly about?: readonly string[]
  /** In the order in which they are typed. */
  readonly arguments: A
  /** By their names in camel case: `olderThan` is typed `--older-than`. */
  readonly options: O
  /** What to type after `lineclear`. */
  readonly examples: readonly [string, ...string[]]
  /** The route of the console that runs it: `GET /api/ROUTE`. */
  readonly route?: string
  /**
   * It changes something, and the console may run it. `plan`: what the plan of that name says. `due`: what is due, whatever that is, so
   * that `--apply` has no name.
   */
  readonly changes?: 'plan' | 'due'
  /** It, or what it is given, may run for minutes: the console does not wait for its end. */
  readonly long?: true | ((given: Readonly<Record<string, unknown>>) => boolean)
  /** It receives dead letters, and so hides them from other commands for a while. */
  readonly receives?: true
}

type TypeOf<V> = V extends { readonly kind: Kind<infer T> } ? T : never

/** What was given, typed by the row. */
export type Given<A extends Arguments, O extends Options> = {
  readonly [N in keyof A]: A[N] extends { readonly optional: true }
    ? TypeOf<A[N]> | undefined
    : TypeOf<A[N]>
} & GivenOptions<O>

/** An option that may be given several times is a list. */
export type GivenOptions<O extends Options> = {
  readonly [N in keyof O]: O[N] extends { readonly kind: Flag }
    ? boolean
    : O[N] extends { readonly many: true }
      ? readonly TypeOf<O[N]>[]
      : O[N] extends { readonly required: true } | { readonly default: string }
        ? TypeOf<O[N]>
        : TypeOf<O[N]> | undefined
}
