import { producer } from 'lineclear'

const orders = producer()

export async function placeOrder(orderId: string, sku: string, quantity: number): Promise<void> {
  const order = { orderId, sku, quantity }
  await orders.send(process.env['ORDERS_QUEUE'] ?? '', order, { uniqueRequestId: orderId })
}
