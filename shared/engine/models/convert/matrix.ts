/** A tensor in 32-bit floats, row by row. */
export interface Matrix {
  readonly shape: readonly number[]
  readonly data: Float32Array
}

/** Rows and columns. Throws an Error when the tensor has not two dimensions. */
export function matrixSize(matrix: Matrix): readonly [number, number] {
  const [rows, columns] = matrix.shape
  if (rows === undefined || columns === undefined || matrix.shape.length !== 2) {
    throw new Error(`A matrix is needed, not a tensor of shape [${matrix.shape.join(', ')}].`)
  }
  return [rows, columns]
}

/** The matrix with rows and columns exchanged. */
export function transpose(matrix: Matrix): Matrix {
  const [rows, columns] = matrixSize(matrix)
  const data = new Float32Array(rows * columns)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) data[column * rows + row] = matrix.data[row * columns + column]!
  }
  return { shape: [columns, rows], data }
}

/** Tensors of the same width, one under the other. */
export function stackRows(parts: readonly Matrix[]): Matrix {
  const data = new Float32Array(parts.reduce((sum, part) => sum + part.data.length, 0))
  let offset = 0
  for (const part of parts) {
    data.set(part.data, offset)
    offset += part.data.length
  }
  const rows = parts.reduce((sum, part) => sum + (part.shape[0] ?? 0), 0)
  return { shape: [rows, ...(parts[0]?.shape.slice(1) ?? [])], data }
}
