/** What a plan holds. */
export interface PlanContents {
  /** Number of the items that it would change. */
  readonly size: number
  /** Equal for equal contents, whatever the order in which they were found. */
  fingerprint(): string
  /** In texts that fit into an item of DynamoDB. */
  texts(): readonly string[]
}
