|i,j|(1..100).flat_map(|k|[[i-k,j],[i,j-k],[i-k,j-k]]).find(|p|p[0].min(p[1])==((p[0]-p[1] as i32).abs()as f32*1.618034)as i32)
