// What an unroller leaves of a sum that allows reassociation.
func.func @unrolled_sum(%v: vector<4xf32>) -> f32 {
  %a = vector.extract %v[0] : f32 from vector<4xf32>
  %b = vector.extract %v[1] : f32 from vector<4xf32>
  %c = vector.extract %v[2] : f32 from vector<4xf32>
  %d = vector.extract %v[3] : f32 from vector<4xf32>
  %ab = arith.addf %a, %b fastmath<reassoc> : f32
  %cd = arith.addf %c, %d fastmath<reassoc> : f32
  %ab_cd = arith.addf %ab, %cd fastmath<reassoc> : f32
  func.return %ab_cd : f32
}
