f=lambda i,j:(i,j
