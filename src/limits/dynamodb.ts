/**
 * What DynamoDB takes, as AWS documents it: for the stores, for the fakes that stand in for DynamoDB, and for whoever
 * has to cut a call. Sizes in bytes of UTF-8 unless named otherwise.
 * Where no other page is named: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
export const DYNAMODB = {
  /** At least 1 byte each: an empty text or empty bytes are no key. */
  partitionKeyBytes: 2_048,
  sortKeyBytes: 1_024,
  /** Names and values, by the rules of `itemBytes`. */
  itemBytes: 409_600,
  attributeNameBytes: 65_535,
  /** A key's own name. */
  keyNameBytes: 255,
  /** Levels of maps and lists in one another, the value in the innermost one included. */
  nesting: 32,
  /** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html */
  numberDigits: 38,
  /** The largest is 9.99…e125, the smallest above zero 1e-130: both as the power of ten of the first digit. */
  numberLargestPower: 125,
  numberSmallestPower: -130,
  /** Distinct items: no two actions of one transaction on one item. */
  transactionItems: 100,
  transactionBytes: 4_194_304,
  /** Milliseconds. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
  requestTokenRemembered: 600_000,
  /** Distinct keys. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
  batchGetKeys: 100,
  batchGetBytes: 16_777_216,
  /**
   * Each key once, all reads or all writes, no ARN and no other account's table.
   * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchExecuteStatement.html
   */
  batchStatements: 25,
  /** Characters. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchStatementRequest.html */
  statementLength: 8_192,
  /** Each of the expressions of a call by itself. */
  expressionBytes: 4_096,
  /** Operators and functions of one UpdateExpression. */
  expressionOperators: 300,
  /** One `#name` or `:value`. */
  placeholderBytes: 255,
  /** All ExpressionAttributeNames and ExpressionAttributeValues of a call. */
  expressionParametersBytes: 2_097_152,
  /** Operands of one IN. */
  inOperands: 100,
} as const
