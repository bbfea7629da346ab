module Main where
import Answer
import qualified Control.Exception as Golf
import qualified System.IO as Golf

golfCall :: [Int] -> IO [Char]
golfCall a = {call}

golfEach :: [Char] -> [Char] -> IO ()
golfEach mark line = do
  text <- Golf.try (golfCall (map read (words line)) >>= \t -> Golf.evaluate (length t) >> return t)
  Golf.hFlush Golf.stdout
  Golf.hPutStr Golf.stdout (mark ++ (case text of { Left e -> 'e' : take 200 (show (e :: Golf.SomeException)); Right t -> t }) ++ mark ++ "\n")
  Golf.hFlush Golf.stdout

main :: IO ()
main = do
  text <- Golf.hGetContents Golf.stdin
  let mark : inputs = lines text
  Golf.hPutStr Golf.stdout (mark ++ "l" ++ mark ++ "\n")
  Golf.hFlush Golf.stdout
  mapM_ (golfEach mark) inputs
